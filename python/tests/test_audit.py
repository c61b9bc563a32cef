"""find_label_issues, and what its report says."""
import builtins
import json
import pickle

import numpy as np
import pytest
from conftest import as_kind, ctrl_c_inside, made, until_others_ran
from test_command import labels_beside, run, write

import temperlr
from temperlr import AuditReport, find_label_issues

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

COLUMNS = ("score", "probability", "margin", "distance", "importance", "conflict")


@pytest.fixture(scope="module")
def digits():
    """(X, truth, labels with mistakes, report)."""
    from sklearn.datasets import load_digits
    X, y = load_digits(return_X_y=True)
    noisy = temperlr.add_noise(X, y, 0.15, random_state=3).y
    return X, y, noisy, find_label_issues(X, noisy, t1=0.3)


# ---- The command ---------------------------------------------------------------------------------

@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("options, flags", [
    ({}, []),
    ({"t1": 0.5, "t2": 1.2, "l2": 1e-3, "cv": 3, "random_state": 7, "fit_intercept": False},
     ["--t1", 0.5, "--t2", 1.2, "--l2", 1e-3, "--folds", 3, "--seed", 7, "--no-intercept"]),
    ({"kind": "row", "t2": 1.5, "scale": "maxabs", "tol": 1e-2},
     ["--kind", "row", "--t2", 1.5, "--scale", "maxabs", "--tol", 1e-2]),
    ({"grid": "t1=0.2,0.6 t2=1 l2=1x", "n_jobs": 2}, ["--grid", "t1=0.2,0.6 t2=1 l2=1x"])])
def test_the_same_as_the_command_bit_for_bit(command, tmp_path, kind, classes, options, flags):
    X, y = made(rows=300, classes=classes)
    X[7], y[7] = X[8], (y[8] + 1) % classes  # a conflict
    path = write(tmp_path, X, y, kind)
    said = run(command, "audit", path, "-q", "--json", "--top", 300, *flags,
               *labels_beside(path, kind))
    theirs = [json.loads(line) for line in said.splitlines()]
    report = find_label_issues(as_kind(X, kind), y, **options)
    assert [suspect["row"] - 1 for suspect in theirs] == list(report.ranking)
    for name in COLUMNS:
        column = [suspect[name] for suspect in theirs]
        np.testing.assert_array_equal(getattr(report, name)[report.ranking], column, err_msg=name)
    for name in ("given", "suggested"):
        column = [int(suspect[name]) for suspect in theirs]
        assert np.array_equal(getattr(report, name)[report.ranking], column)
    assert report.conflict[7] and report.conflict[8]
    listed = run(command, "audit", path, "-q", "--json", *flags,
                 *labels_beside(path, kind))
    assert len(listed.splitlines()) == report.n_issues == len(report.indices())


def test_weights_and_labels_of_text_are_those_of_the_command(command, tmp_path):
    X, y = made(rows=300, classes=3)
    labels = np.array(["pear", "apple", "fig"])[y]
    weight = np.random.RandomState(0).randint(0, 5, len(y)) / 4
    path = tmp_path / "fruit.csv"
    path.write_text("\n".join(",".join(f"{x:g}" for x in row) + f",{label}"
                              for row, label in zip(X, labels)) + "\n")
    (tmp_path / "weights").write_text("".join(f"{w}\n" for w in weight))
    theirs = [json.loads(line) for line in
              run(command, "audit", path, "--weights", tmp_path / "weights", "-q", "--json",
                  "--top", 300).splitlines()]
    report = find_label_issues(X.astype(np.float32), labels, weight)
    assert [suspect["row"] - 1 for suspect in theirs] == list(report.ranking)
    assert [suspect["score"] for suspect in theirs] == list(report.score[report.ranking])
    assert [suspect["given"] for suspect in theirs] == list(labels[report.ranking])
    assert [suspect["suggested"] for suspect in theirs] == list(report.suggested[report.ranking])
    unweighted = find_label_issues(X.astype(np.float32), labels)
    assert not np.array_equal(unweighted.score, report.score)
    assert list(report.classes) == ["apple", "fig", "pear"]


# ---- What it finds -------------------------------------------------------------------------------

def test_it_finds_mistakes_and_knows_how_many(digits):
    X, y, noisy, report = digits
    wrong, listed = noisy != y, report.indices()
    assert wrong[listed].mean() > 0.95 and wrong[report.mask()].sum() > 0.9 * wrong.sum()
    assert (report.suggested == y)[listed].mean() > 0.9
    assert abs(report.n_wrong - wrong.sum()) < 0.1 * wrong.sum()
    assert abs(report.expected_precision(top=200) - wrong[report.indices(top=200)].mean()) < 0.05
    assert report.n_wrong == pytest.approx(report.score.sum())
    assert np.array_equal(report.given, noisy) and len(report.ranking) == len(y)


def test_there_is_a_range(digits):
    X, y, noisy, report = digits
    low, high = report.n_wrong_range
    assert low <= report.n_wrong <= high and (report.low <= report.score).all() and (report.score <= report.high).all()
    some = np.flatnonzero(y < 2)
    labels = y[some].copy()
    labels[::10] = 1 - labels[::10]
    two = find_label_issues(X[some], labels, t1=0.3)
    low, high = two.n_wrong_range
    assert low < two.n_wrong < high and (two.low <= two.score).all() and (two.score <= two.high).all()
    assert low == pytest.approx(two.low.sum()) and high == pytest.approx(two.high.sum())
    ends = two.expected_precision_range(top=20)
    assert ends[0] <= two.expected_precision(top=20) <= ends[1] and " to " in repr(two)
    by_row = find_label_issues(X[some], labels, t1=0.3, kind="row")
    assert np.isnan(by_row.low).all() and np.isnan(by_row.expected_precision_range(top=5)).all()


def test_the_table_of_transitions_follows_the_classes(digits):
    X, y, _, _ = digits
    noisy = y.copy()
    noisy[np.flatnonzero(y == 0)[::4]] = 2  # 0 is called 2
    names = np.array(list("fcbadejihg"))  # neither sorted nor in the order of rows
    report = find_label_issues(X, names[noisy], t1=0.3)
    table = report.transition_frame()
    assert list(table.index) == list("abcdefghij") and table.index.name == "true"
    wrong = report.transition - np.diag(np.diag(report.transition))
    worst = np.unravel_index(wrong.argmax(), wrong.shape)
    assert [report.classes[i] for i in worst] == ["f", "b"] and report.in_pairs
    assert report._pairs()[0][:2] == ("f", "b")
    np.testing.assert_allclose(report.transition.sum(axis=0),
                               [(names[noisy] == name).sum() for name in report.classes])
    assert wrong.sum() == pytest.approx(report.n_wrong)


# ---- Which rows ----------------------------------------------------------------------------------

def test_top_and_threshold(digits):
    report = digits[3]
    scores = report.score[report.ranking]
    assert (np.diff(scores) <= 1e-12).all()
    assert np.array_equal(report.indices(top=7), report.ranking[:7])
    assert np.array_equal(report.indices(threshold=0.5), report.indices())
    some = report.indices(threshold=0.9)
    assert (report.score[some] >= 0.9).all() and (report.score >= 0.9).sum() == len(some)
    assert len(report.indices(top=10**9)) == len(report.indices(threshold=0)) == len(scores)
    assert len(report.indices(top=0)) == len(report.indices(threshold=2)) == 0
    assert np.array_equal(np.flatnonzero(report.mask(top=7)), np.sort(report.ranking[:7]))
    assert report.expected_precision(top=9) == pytest.approx(scores[:9].mean(), rel=1e-15)
    assert np.isnan(report.expected_precision(top=0))
    report.indices()[:] = 0  # a copy
    assert np.array_equal(report.indices(top=7), report.ranking[:7])
    for wrong in ({"top": 1, "threshold": 1}, {"top": -1}, {"top": 2.5}, {"threshold": "high"}):
        with pytest.raises(ValueError, match="top|threshold"):
            report.indices(**wrong)


def test_frames_keep_the_index_of_the_rows(digits):
    pandas = pytest.importorskip("pandas")
    X, _, noisy, plain = digits
    names = [f"image {i}" for i in range(len(noisy))]
    report = find_label_issues(pandas.DataFrame(X, index=names), noisy, t1=0.3)
    assert np.array_equal(report.ranking, plain.ranking)
    frame = report.to_frame()
    assert list(frame.columns) == ["row", "given", "suggested", "score", "probability", "margin",
                                   "distance", "importance", "low", "high", "conflict"]
    assert list(frame.index) == [names[row] for row in report.indices()]
    assert list(frame["row"]) == list(report.indices())
    assert np.array_equal(frame["score"], report.score[report.indices()])
    assert len(report.to_frame(top=3)) == 3 and len(report.to_frame(threshold=0)) == len(noisy)
    assert list(plain.to_frame(top=3).index) == list(plain.ranking[:3])
    of_labels = find_label_issues(X, pandas.Series(noisy, index=names), t1=0.3)
    assert list(of_labels.to_frame().index) == list(frame.index)


# ---- Words and pictures --------------------------------------------------------------------------

def test_words(digits):
    report = digits[3]
    assert repr(report).startswith("AuditReport: 1,797 rows of 10 classes\n")
    assert f"{report.n_issues:,} to look at again" in repr(report)
    page = report._repr_html_()
    assert page.count("<tr>") == 11 and f"and {report.n_issues - 10:,} more" in page
    assert str(report.indices()[0]) in page


def test_names_cannot_break_the_page():
    X, y = made(rows=300)
    y[:30] = 1 - y[:30]
    page = find_label_issues(X, np.array(["<b>", "a & b"])[y], t1=0.3)._repr_html_()
    assert "<b>a" not in page and "&lt;b&gt;" in page and "a &amp; b" in page


@pytest.mark.parametrize("what", ["margins", "precision", "transition"])
def test_pictures(digits, what):
    pytest.importorskip("matplotlib").use("Agg")
    report = digits[3]
    ax = report.plot(what)
    if what == "margins":
        heights = [sum(patch.get_height() for patch in bars) for bars in ax.containers]
        assert heights == [len(report.score) - report.n_issues, report.n_issues]
    elif what == "precision":
        curve = ax.lines[0].get_ydata()
        assert curve[report.n_issues - 1] == pytest.approx(report.expected_precision())
    else:
        cells = np.ma.filled(ax.images[0].get_array(), np.nan)
        assert np.nansum(cells) == pytest.approx(report.n_wrong)
    assert report.plot(what, top=5, ax=ax) is ax


def test_pictures_that_are_none_are_refused(digits):
    pytest.importorskip("matplotlib")
    with pytest.raises(ValueError, match="there are margins, precision, transition"):
        digits[3].plot("beauty")
    by_row = find_label_issues(*made(rows=300), kind="row", t1=0.3)
    with pytest.raises(ValueError, match="no probabilities"):
        by_row.plot("precision")
    assert np.isnan(by_row.expected_precision(top=5)) and "distance" in repr(by_row)


def test_without_pandas(digits, monkeypatch):
    real = builtins.__import__

    def refuse(name, *rest):
        if name == "pandas":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ImportError, match="pip install pandas"):
        digits[3].to_frame()


def test_many_classes_have_no_table():
    X = np.arange(1200.0).reshape(-1, 1) // 4
    report = find_label_issues(X, np.arange(1200) // 4, t1=1, t2=1, cv=2, max_iter=2)
    assert report.transition is None and report._pairs() == []
    with pytest.raises(ValueError, match="ends at 256"):
        report.transition_frame()


def test_pickle(digits):
    report = digits[3]
    back = pickle.loads(pickle.dumps(report))
    assert isinstance(back, AuditReport) and np.array_equal(back.score, report.score)
    assert repr(back) == repr(report)


# ---- Input ---------------------------------------------------------------------------------------

def test_nothing_is_changed(kind):
    X, y = made(rows=200)
    X = as_kind(X, kind)
    before = X.copy()
    find_label_issues(X, y, t1=0.3)
    assert (X != before).sum() == 0


def test_threads_change_no_bit():
    X, y = made(rows=2000, classes=4)
    one, two = (find_label_issues(X, y, n_jobs=n) for n in (1, 2))
    assert np.array_equal(one.score, two.score) and np.array_equal(one.ranking, two.ranking)


@pytest.mark.parametrize("options, words", [
    ({"kind": "colour"}, "unknown kind 'colour'"), ({"cv": 1}, "cv has to be 2 folds"),
    ({"cv": "five"}, "cv has to be"), ({"t1": "warm"}, "t1 has to be a number"),
    ({"t1": -1}, "t1"), ({"t1": 0.3, "grid": "t1=1 t2=1"}, "grid means nothing"),
    ({"grid": "t4=1"}, "is unknown"), ({"scale": "huge"}, "no scaling 'huge'"), ({"cv": 101}, "too few"),
    ({"sample_weight": -np.ones(100)}, "weight"), ({"solver": "magic"}, "magic")])
def test_what_is_wrong_is_refused(options, words):
    X, y = made(rows=100)
    with pytest.raises(ValueError, match=words):
        find_label_issues(X, y, **options)


def test_rows_that_are_wrong_are_refused():
    X, y = made(rows=100)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        find_label_issues(X, y[:50])
    with pytest.raises(ValueError, match="only one class"):
        find_label_issues(X, np.zeros(100))
    with pytest.raises(ValueError, match="y is None"):
        find_label_issues(X, None)
    X[3, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        find_label_issues(X, y)


def test_few_rows_are_warned_of():
    X, y = made(rows=100)
    with pytest.warns(UserWarning, match="100 rows .* is a guess"):
        report = find_label_issues(X, y, t1=0.3)
    assert len(report.warnings) == 1


# ---- Progress ------------------------------------------------------------------------------------

@pytest.mark.parametrize("classes, jobs", [(2, 1), (3, 2)])
def test_progress_and_its_end(classes, jobs, capsys):
    X, y = made(rows=300, classes=classes)
    seen = []
    find_label_issues(X, y, callback=seen.append, verbose=1, n_jobs=jobs)
    assert {now.phase for now in seen} == {"audit"}
    assert "temper:" in capsys.readouterr().err
    with pytest.raises(RuntimeError, match="the callback ended the audit"):
        find_label_issues(X, y, callback=lambda now: now.phase == "audit", n_jobs=jobs)

    def fail(now):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        find_label_issues(X, y, callback=fail, n_jobs=jobs)


@pytest.mark.parametrize("classes, jobs", [(2, 1), (3, 2)])
def test_ctrl_c(classes, jobs):
    rng = np.random.RandomState(0)
    X, y = rng.normal(size=(5000, 50)).astype(np.float32), rng.randint(0, classes, 5000)
    with pytest.raises(KeyboardInterrupt), ctrl_c_inside():
        find_label_issues(X, y, grid="paper", tol=1e-12, n_jobs=jobs)


def test_others_run_meanwhile():
    X, y = made(rows=12000, columns=60, classes=3)  # milliseconds between two calls, whatever the machine
    with until_others_ran() as follow, pytest.raises(RuntimeError, match="callback ended the audit"):
        find_label_issues(X, y, callback=follow)
