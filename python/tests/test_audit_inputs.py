"""find_label_issues by the probabilities of other models; the health of a data set; estimators that clean."""
import numpy as np
import pytest
from conftest import made
from numpy.testing import assert_array_equal

import temperlr
from temperlr import find_label_issues

pytestmark = pytest.mark.filterwarnings("ignore:.*look random")


# ---- Probabilities of other models ---------------------------------------------------------------

def _labels_and_probabilities(rows=600, classes=4, seed=0):
    """Labels, a tenth of them wrong, and a model that knows most of the true ones."""
    random = np.random.default_rng(seed)
    truth = random.integers(classes, size=rows)
    scores = random.normal(size=(rows, classes))
    scores[np.arange(rows), truth] += 4
    probabilities = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    wrong = random.random(rows) < 0.1
    return np.where(wrong, (truth + 1 + random.integers(classes - 1, size=rows)) % classes, truth), probabilities, wrong


def test_probabilities_alone():
    given, probabilities, wrong = _labels_and_probabilities()
    report = find_label_issues(y=given, pred_probs=probabilities)
    assert wrong[report.indices()].mean() > 0.8 and report.mask()[wrong].mean() > 0.4
    assert report.n_splits == 0 and np.isnan(report.l2) and np.isnan(report.distance).all()
    assert "probabilities as given" in repr(report)
    # Text labels, whose classes the library has in another order; and columns by their names.
    names = np.array(["d", "b", "a", "c"])
    text = find_label_issues(y=names[given], pred_probs=probabilities[:, np.argsort(names)])
    frame = pytest.importorskip("pandas").DataFrame(probabilities, columns=names)
    assert_array_equal(text.indices(), report.indices())
    assert_array_equal(find_label_issues(y=names[given], pred_probs=frame).score, text.score)
    assert_array_equal(text.suggested, names[report.suggested])


def test_probabilities_with_features():
    given, probabilities, wrong = _labels_and_probabilities()
    embedding = np.log(probabilities)
    alone = find_label_issues(y=given, pred_probs=probabilities, features=embedding)
    assert (alone.distance > 0).all()
    # X has the same role where there are no features.
    assert_array_equal(find_label_issues(embedding, given, pred_probs=probabilities).score, alone.score)


def test_any_classifier():
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC
    random = np.random.default_rng(1)
    truth = np.arange(300) % 2
    wrong = random.random(300) < 0.1
    words = [["fish boat sea", "tree wood leaf"][t] + f" word{i % 7}" for i, t in enumerate(truth)]
    report = find_label_issues(words, truth ^ wrong, clf=make_pipeline(CountVectorizer(), MultinomialNB()))
    assert_array_equal(np.sort(report.indices()), np.flatnonzero(wrong))
    assert any("neighbours" in note for note in report.notes)
    with pytest.raises(TypeError, match="predict_proba"):
        find_label_issues(words, truth, clf=LinearSVC())
    with pytest.raises(ValueError, match="give one of them"):
        find_label_issues(words, truth, clf=MultinomialNB(), pred_probs=np.ones((300, 2)) / 2)


def test_groups_stay_together():
    from sklearn.model_selection import GroupKFold
    X, y = made(rows=300, classes=3)
    groups = np.arange(len(y)) // 5
    report = find_label_issues(X, y, t1=0.3, groups=groups, cv=4)
    assert report.n_splits == 4
    splits = list(GroupKFold(4).split(X, y, groups))
    by_splits = find_label_issues(X, y, t1=0.3, cv=splits)
    assert_array_equal(by_splits.score, find_label_issues(X, y, t1=0.3, cv=GroupKFold(4), groups=groups).score)
    with pytest.raises(ValueError, match="in the test part of no split"):
        find_label_issues(X, y, t1=0.3, cv=splits[:3])
    with pytest.raises(ValueError, match="a number of folds, a splitter"):
        find_label_issues(X, y, t1=0.3, cv=2.5)


def test_probabilities_that_are_refused():
    given, probabilities, _ = _labels_and_probabilities()
    bad = probabilities.copy()
    bad[3] *= 2
    for argument, words in ((bad, "row 3"), (-probabilities, "row 0"), (probabilities[:, :3], r"\(600, 3\)"),
                            (probabilities[:9], r"\(9, 4\)"), (probabilities * np.nan, "row 0")):
        with pytest.raises(ValueError, match=words):
            find_label_issues(y=given, pred_probs=argument)
    with pytest.raises(ValueError, match="find_label_issues\\(y=labels, pred_probs=pred_probs\\)"):
        find_label_issues(given, probabilities)
    with pytest.raises(ValueError, match="t1 means nothing with pred_probs"):
        find_label_issues(y=given, pred_probs=probabilities, t1=0.3)
    with pytest.raises(ValueError, match="X is None"):
        find_label_issues(y=given)
    with pytest.raises(ValueError, match="y is None"):
        find_label_issues(pred_probs=probabilities)
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="named as the class"):
        find_label_issues(y=given, pred_probs=pandas.DataFrame(probabilities, columns=list("abcd")))


def test_models_that_have_seen_the_rows():
    given, probabilities, _ = _labels_and_probabilities()
    with pytest.warns(UserWarning, match="cross_val_predict"):
        find_label_issues(y=given, pred_probs=0.9 * np.eye(4)[given] + 0.025)


# ---- Health --------------------------------------------------------------------------------------

def test_health():
    pytest.importorskip("pandas")
    X, y = made(rows=300, classes=3)
    X[7] = X[9] + 1e-9
    X[11] = 60
    report = find_label_issues(X, y, t1=0.3)
    classes = report.health()
    assert list(classes.index) == list(report.classes)
    assert_array_equal(classes["rows"], np.bincount(np.searchsorted(report.classes, y)))
    assert classes["wrong"].sum() == pytest.approx(report.n_wrong)
    assert {"missed", "predicted", "duplicates", "outliers", "conflicts", "overlap"} <= set(classes)
    assert {"a", "b", "a_as_b", "b_as_a", "overlap"} <= set(report.health("pairs"))
    duplicates = report.health("duplicates")
    assert {7, 9} in [{row, other} for row, other in zip(duplicates["row"], duplicates["other"])]
    assert report.health("outliers")["row"].iloc[0] == 11
    with pytest.raises(ValueError, match="classes, pairs, duplicates, outliers"):
        report.health("rows")


# ---- Fit on what is believed ---------------------------------------------------------------------

@pytest.mark.parametrize("how", ["drop", "weigh", "relabel"])
@pytest.mark.parametrize("t1", [0.3, "auto"])
def test_estimators_that_clean(how, t1):
    random = np.random.default_rng(3)
    truth = np.arange(400) % 2
    X = random.normal(size=(400, 3)) + 2.5 * truth[:, None]
    wrong = random.random(400) < 0.15
    noisy = truth ^ wrong
    model = temperlr.TemperedLogisticRegression(t1, clean=how, calibrate="none").fit(X, noisy)
    assert 30 < model.n_cleaned_ < 90 and 30 < model.n_expected_wrong_ < 90
    assert (model.predict(X) == truth).mean() > 0.95
    assert temperlr.TemperedLogisticRegression(clean=how).get_params()["clean"] == how


def test_estimators_that_do_not_clean():
    X, y = made(rows=100)
    model = temperlr.TemperedLogisticRegression().fit(X, y)
    assert model.n_cleaned_ == 0 and np.isnan(model.n_expected_wrong_)
    with pytest.raises(ValueError, match="drop, weigh or relabel"):
        temperlr.TemperedLogisticRegression(clean="burn").fit(X, y)
    with pytest.raises(ValueError, match="has to be a str"):
        temperlr.TemperedLogisticRegression(clean=True).fit(X, y)
