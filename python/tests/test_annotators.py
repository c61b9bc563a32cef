"""consensus: long and wide votes, gaps, models, tables, and what is refused; the same figures as the command."""
import csv
import json
import subprocess

import numpy as np
import pytest
from temperlr import consensus

CLASSES = np.array(["ant", "bee", "cat"])


@pytest.fixture(scope="module")
def crowd():
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=400)
    accuracy = [0.95, 0.8, 0.7, 0.6, 1 / 3, 0.05, 0.85]
    wrong = (truth[:, None] + rng.integers(1, 3, size=(400, 7))) % 3
    votes = np.where(rng.random((400, 7)) < accuracy, truth[:, None], wrong)
    gaps = rng.random(votes.shape) < 0.4
    gaps[gaps.all(axis=1), 0] = False
    X = np.eye(3)[truth] * 2.5 + rng.normal(size=(400, 3))
    return truth, votes, gaps, np.array(accuracy), X


def labels_of(crowd):
    return np.where(crowd[2], None, CLASSES[crowd[1]].astype(object))


def test_wide_arrays(crowd):
    truth, votes, gaps, accuracy, _ = crowd
    report = consensus(np.where(gaps, np.nan, votes))
    assert report.label.dtype.kind == "i"
    majority = consensus(np.where(gaps, np.nan, votes), method="majority")
    assert (report.label == truth).mean() > (majority.label == truth).mean() + 0.02
    assert np.abs(report.accuracy - accuracy).max() < 0.1
    assert list(report.flags) == ["", "", "", "", "random", "inverted", ""]
    assert abs(report.n_wrong - (report.label != truth).sum()) < 20
    assert np.allclose(report.posterior.sum(axis=1), 1)
    assert np.allclose(report.confusion.sum(axis=2), 1)
    assert (report.low <= report.accuracy).all() and (report.accuracy <= report.high).all()
    assert np.isnan(majority.n_wrong) and np.isnan(report.sharpness)
    assert (report.n_labels == (~gaps).sum(axis=1)).all()


def test_long_is_wide(crowd):
    pandas = pytest.importorskip("pandas")
    labels = labels_of(crowd)
    wide = pandas.DataFrame(labels, columns=list("abcdefg"), index=[f"i{i}" for i in range(400)])
    item, annotator = np.nonzero(~crowd[2])
    long = pandas.DataFrame({"worker": wide.columns[annotator], "task": wide.index[item],
                             "label": labels[item, annotator]})
    first = consensus(wide)
    second = consensus(long.sample(frac=1, random_state=0))
    third = consensus(long.rename(columns={"task": "t", "worker": "w"}), columns=("t", "w", "label"))
    fourth = consensus((long.task, long.worker, long.label))
    for other in (second, third, fourth):
        place = {name: i for i, name in enumerate(other.items)}
        rows = [place[name] for name in first.items if name in place]
        kept = [i for i, name in enumerate(first.items) if name in place]
        assert (other.label[rows] == first.label[kept]).all()
        assert np.allclose(other.probability[rows], first.probability[kept], atol=1e-6)
        order = [list(other.annotators).index(name) for name in "abcdefg"]
        assert np.allclose(other.accuracy[order], first.accuracy, atol=1e-6)


def test_tables(crowd):
    pandas = pytest.importorskip("pandas")
    wide = pandas.DataFrame(labels_of(crowd), columns=list("abcdefg"))
    report = consensus(wide)
    items, people = report.to_frame(), report.annotators_frame()
    assert list(items.index) == list(wide.index) and set(items.label) == set(CLASSES)
    assert people.loc["f", "flag"] == "inverted" and people.loc["a", "accuracy"] > 0.85
    assert people.n_labels.sum() == (~crowd[2]).sum()
    confusion = report.confusion_frame("b")
    assert list(confusion.index) == list(CLASSES) and np.allclose(confusion.sum(axis=1), 1)
    with pytest.raises(ValueError, match="no annotator 'z'"):
        report.confusion_frame("z")
    again = report.again(5)
    assert len(again) == 5 and len(report.again()) == report.n_again
    gains = items.loc[again, "gain"].to_numpy()
    assert (np.diff(gains) <= 1e-9).all()
    assert "annotators" in repr(report) and "<table>" in report._repr_html_()


def test_models_help(crowd):
    truth, votes, gaps, _, X = crowd
    table = np.where(gaps | (np.arange(7) > 3), np.nan, votes)
    alone = consensus(table)
    joined = consensus(table, X=X)
    known = ~np.isnan(table).all(axis=1)
    right = [np.mean([label == true for label, true in zip(r.label[known], truth[known])])
             for r in (alone, joined)]
    assert right[1] > right[0] and joined.sharpness > 0.2
    # Items without labels have one by the model alone.
    assert alone.label[~known].tolist() == [None] * (~known).sum()
    assert (joined.label[~known].astype(int) == truth[~known]).mean() > 0.7
    probabilities = np.where(np.eye(3)[truth] == 1, 0.8, 0.1)
    given = consensus(table, pred_probs=probabilities)
    assert (given.label == truth).mean() > 0.99
    useless = consensus(table, pred_probs=np.full((400, 3), 1 / 3))
    assert (useless.label[known] == alone.label[known]).mean() > 0.99


def test_frames_are_matched(crowd):
    pandas = pytest.importorskip("pandas")
    truth, _, _, _, X = crowd
    wide = pandas.DataFrame(labels_of(crowd), columns=list("abcdefg"), index=[f"i{i}" for i in range(400)])
    rows = pandas.DataFrame(X, index=wide.index).sample(frac=1, random_state=1)
    report = consensus(wide, X=rows)
    assert list(report.items) == list(rows.index)
    in_order = consensus(wide, X=X)
    assert (pandas.Series(report.label, report.items).reindex(wide.index) == in_order.label).mean() > 0.99
    probabilities = pandas.DataFrame(np.eye(3)[truth] * 0.7 + 0.1, columns=CLASSES, index=wide.index)
    first = consensus(wide, pred_probs=probabilities)
    second = consensus(wide, pred_probs=probabilities[["cat", "ant", "bee"]])
    assert np.array_equal(first.posterior, second.posterior)
    with pytest.raises(ValueError, match="item 'i0' is not in the index"):
        consensus(wide, X=rows.drop("i0"))


def test_classes_without_labels(crowd):
    votes = np.where(crowd[2], np.nan, crowd[1])
    report = consensus(votes, classes=[0, 1, 2, 3], pred_probs=np.full((400, 4), 0.25))
    assert report.posterior.shape == (400, 4) and set(report.label) <= {0, 1, 2}


def test_threads_give_the_same_bits(crowd):
    votes = np.where(crowd[2], np.nan, crowd[1])
    assert np.array_equal(consensus(votes, n_jobs=1).posterior, consensus(votes, n_jobs=2).posterior)


def test_refused(crowd):
    votes = np.where(crowd[2], np.nan, crowd[1])
    for bad, message in [(dict(method="best"), "unknown method 'best'"),
                         (dict(pred_probs=np.ones((3, 3))), "pred_probs has shape"),
                         (dict(X=np.ones((3, 3))), "X has 3 rows for 400 items"),
                         (dict(classes=[0, 1]), "not among classes"),
                         (dict(columns=("a", "b", "c")), "votes is none"),
                         (dict(method="majority", X=np.ones((400, 1))), "majority")]:
        with pytest.raises(ValueError, match=message):
            consensus(votes, **bad)
    with pytest.raises(ValueError, match="no label"):
        consensus(np.full((3, 2), np.nan))
    with pytest.raises(ValueError, match="1 dimension;"):
        consensus([1, 2])
    with pytest.raises(ValueError, match="have 2, 2 and 1 elements"):
        consensus(([1, 2], [1, 1], [1]))
    with pytest.warns(UserWarning, match="no item has more than one label"):
        consensus(([1, 2], [1, 1], ["a", "b"]))


def test_as_the_command(crowd, tmp_path, command):
    votes = np.where(crowd[2], np.nan, crowd[1])
    with open(tmp_path / "votes.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([f"a{i}" for i in range(7)])
        writer.writerows([["" if value != value else int(value) for value in row] for row in votes])
    found = json.loads(subprocess.run([command, "annotators", "-q", "--json", str(tmp_path / "votes.csv")], check=True,
                                      capture_output=True).stdout)
    report = consensus(votes)
    assert [one["accuracy"] for one in found["annotators"]] == report.accuracy.tolist()
    assert [one["probability"] for one in found["items"]] == [
        None if p != p else p for p in report.probability.tolist()]
