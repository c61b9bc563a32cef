"""TemperedLogisticRegressionCV, and temperatures that are "auto"."""
import json
import pickle
import warnings

import numpy as np
import pytest
from conftest import as_kind, ctrl_c_inside, made
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import (GroupKFold, KFold, PredefinedSplit, RepeatedKFold,
                                     ShuffleSplit, StratifiedKFold, TimeSeriesSplit,
                                     cross_val_score)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from test_command import labels_beside, run, write

import temperlr
from temperlr import TemperedLogisticRegression, TemperedLogisticRegressionCV

pytestmark = [pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
              pytest.mark.filterwarnings("ignore::UserWarning")]

SMALL = {"t1": [0.5, 1], "t2": 1, "l2": "0.1x,10x"}


def same_tables(one, two):
    assert list(one.cv_results_) == list(two.cv_results_)
    for name, column in one.cv_results_.items():
        np.testing.assert_array_equal(column, two.cv_results_[name], err_msg=name)


def same(one, two):
    same_tables(one, two)
    assert one.best_index_ == two.best_index_ and one.decided_by_ == two.decided_by_
    assert np.array_equal(one.coef_, two.coef_) and np.array_equal(one.intercept_, two.intercept_)


# ---- The command ---------------------------------------------------------------------------------

@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("options, flags", [
    ({"grid": "t1=0.1,0.5 t2=1 l2=1e-4..1e-2:3"}, ["--grid", "t1=0.1,0.5 t2=1 l2=1e-4..1e-2:3"]),
    ({**SMALL, "only": True, "criterion": "log-loss", "random_state": 7, "scale": "none"},
     ["--grid", "only t1=0.5,1 t2=1 l2=0.1x,10x", "--criterion", "log-loss", "--seed", 7,
      "--scale", "none"]),
    ({**SMALL, "loss": ["gce", "logistic"], "ask": 3, "assume": "structured",
      "fit_intercept": False},
     ["--grid", "t1=0.5,1 t2=1 l2=0.1x,10x loss=gce,logistic", "--ask", 3, "--assume",
      "structured", "--no-intercept"])])
def test_the_same_as_the_command_bit_for_bit(command, tmp_path, kind, classes, options, flags):
    X, y = made(rows=300, classes=classes)
    path = write(tmp_path, X, y, kind)
    theirs = tmp_path / "theirs.temper"
    said = json.loads(run(command, "tune", path, "-m", theirs, "-q", "--json", "--folds", 4, *flags,
                          *labels_beside(path, kind)))
    model = TemperedLogisticRegressionCV(cv=4, **options).fit(as_kind(X, kind), y)
    model.save(tmp_path / "ours.temper")
    assert (tmp_path / "ours.temper").read_bytes() == theirs.read_bytes()
    assert said["best"]["number"] == model.best_index_ and said["folds"] == model.n_splits_
    assert said["best"]["score"] == model.best_score_
    assert (said["decided_by"], said["reason"]) == (model.decided_by_, model.reason_)
    assert [row - 1 for row in said["ask"]] == list(model.ask_)
    for name in said["table"][0]:
        column = [np.nan if c[name] is None else c[name] for c in said["table"]]
        np.testing.assert_array_equal(model.cv_results_[name], column, err_msg=name)


@pytest.mark.parametrize("options", [{"t1": "auto", "t2": "auto", "l2": 1e-3},
                                     {"t1": "auto", "loss": "gce", "t2": 1.0},
                                     {"t1": 0.5, "t2": "auto"}])
def test_auto_is_that_of_the_command(command, tmp_path, options):
    X, y = made(rows=200, columns=4)
    path = write(tmp_path, X, y, "float32")
    flags = [word for name, value in options.items() for word in (f"--{name}", value)
             if not (options.get("loss") == "gce" and name == "t2")]
    run(command, "train", path, "--labels", f"{path}.labels", "-m", tmp_path / "theirs", "-q",
        *flags)
    model = TemperedLogisticRegression(**options).fit(X.astype(np.float32), y)
    model.save(tmp_path / "ours")
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()
    known = json.loads((tmp_path / "theirs").read_text())
    assert (model.t1_, model.t2_, model.l2_) == (known["t1"], known["t2"], known["l2"])
    assert model.importance_.shape == y.shape and not hasattr(model, "loss_curve_")


def test_auto_where_there_is_nothing_to_choose_is_refused():
    X, y = made(rows=60)
    with pytest.raises(ValueError, match='t2="auto" does not go with loss="gce"'):
        TemperedLogisticRegression(0.5, "auto", loss="gce").fit(X, y)
    with pytest.raises(ValueError, match='t1="auto" does not go with loss="hinge"'):
        TemperedLogisticRegression("auto", loss="hinge").fit(X, y)
    with pytest.raises(ValueError, match="warm_start does not go with"):
        TemperedLogisticRegression("auto", warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="t1 has to be a number"):
        TemperedLogisticRegression("warm").fit(X, y)


# ---- What it gives -------------------------------------------------------------------------------

def test_the_expected_score_is_that_of_the_command(command, tmp_path):
    X, y = made(rows=300, classes=3)
    path = write(tmp_path, X, y, "float64")
    said = json.loads(run(command, "tune", path, "-m", tmp_path / "theirs", "-q", "--json", "--folds",
                          5, "--average", *labels_beside(path, "float64")))
    model = TemperedLogisticRegressionCV(average=True).fit(X, y)
    model.save(tmp_path / "ours")
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()
    expected = said["expected"]
    assert (model.expected_score_, model.expected_score_error_) == (expected["accuracy"], expected["error"])
    assert model.expected_score_interval_ == (expected["low"], expected["high"])
    assert expected["low"] < model.expected_score_ < expected["high"]
    assert model.decided_by_ != "accuracy" or model.expected_score_ <= model.best_score_
    assert model.averaged_ == said["averaged"] >= 1
    assert (said["next_step"] is None) == (model.suggested_ask_ == 0) == (model.suggested_reason_ == "")
    assert TemperedLogisticRegressionCV(**SMALL).fit(X, y).averaged_ == 0


def test_few_rows_have_fewer_candidates():
    X, y = made(rows=120)
    assert len(TemperedLogisticRegressionCV(cv=2).fit(X, y).cv_results_["l2"]) == 36
    assert len(TemperedLogisticRegressionCV(grid="full", cv=2).fit(X, y).cv_results_["l2"]) == 120


def test_what_was_chosen_is_what_was_fitted():
    X, y = made(rows=300, classes=3)
    model = TemperedLogisticRegressionCV(**SMALL).fit(X, y)
    table, best = model.cv_results_, model.best_index_
    assert (model.t1_, model.t2_, model.l2_) == (table["t1"][best], table["t2"][best],
                                                 table["l2"][best])
    assert model.best_score_ == table["accuracy"][best] and model.loss_ == "tempered"
    assert len(table["l2"]) == 6 and table["band_error"].shape == (6, 7)
    assert set(table["stage"]) <= {1, 2} and model.n_splits_ == 5
    again = TemperedLogisticRegression(model.t1_, model.t2_, model.l2_, starts=2).fit(X, y)
    assert np.array_equal(model.coef_, again.coef_)
    assert np.array_equal(model.importance_, again.importance_)
    assert np.array_equal(model.predict_proba(X), again.predict_proba(X))


def test_accuracies_are_those_of_training_without_the_fold():
    X, y = made(rows=150)
    cv = StratifiedKFold(3)
    model = TemperedLogisticRegressionCV(t1=0.5, t2=1, l2=1e-3, only=True, cv=cv, scale="none",
                                         tol=1e-9).fit(X, y)
    scores = cross_val_score(TemperedLogisticRegression(0.5, 1, 1e-3, scale="none", tol=1e-9), X,
                             y, cv=cv)
    assert model.best_score_ == pytest.approx(scores.mean(), abs=1e-12)


def test_labels_that_are_systematically_wrong_are_told_of():
    X = np.random.RandomState(0).normal(size=(2000, 2))
    noisy = temperlr.add_noise(X, (X[:, 0] > 0).astype(int), 0.1, "large-margin").y
    with pytest.warns(UserWarning, match="look systematically wrong"):
        model = TemperedLogisticRegressionCV(**SMALL).fit(X, noisy)
    assert any("look systematically wrong" in sentence for sentence in model.warnings_)
    assert not any("--" in sentence for sentence in model.warnings_)


@pytest.mark.parametrize("loss, t1, missing", [("hinge", 1, ("raw_proba", "predict_proba")),
                                               ("tempered", 0, ("predict_proba",))])
def test_no_probabilities_where_the_choice_has_none(loss, t1, missing):
    X, y = made(rows=100)
    model = TemperedLogisticRegressionCV(t1=[t1], t2=1, l2=1e-3, loss=[loss], only=True, cv=2,
                                         calibrate="none")
    assert all(hasattr(model, name) for name in missing)  # it is not known yet
    model.fit(X, y)
    assert not any(hasattr(model, name) for name in missing)
    assert np.isnan(model.t1_) == (loss == "hinge") and hasattr(model, "importance_") == (
        loss != "hinge")


def test_other_names_of_classes_in_other_orders():
    X, y = made(rows=300, classes=3)
    names = np.array(["pear", "apple", "fig"])[y]
    model = TemperedLogisticRegressionCV(**SMALL, cv=3).fit(X, names)
    assert list(model.classes_) == ["apple", "fig", "pear"]
    assert (model.predict(X) == names).mean() > 0.75


# ---- Rows that do not count ----------------------------------------------------------------------

@pytest.mark.parametrize("cv", [4, StratifiedKFold(4), GroupKFold(4)])
def test_rows_of_weight_0_are_dropped_before_folds_are_drawn(kind, cv):
    X, y = made(rows=200)
    groups = np.arange(len(y)) // 5
    kept = np.random.RandomState(2).rand(len(y)) < 0.8
    y[~kept] = 5  # a class that no row of weight has
    model = TemperedLogisticRegressionCV(**SMALL, cv=cv, ask=4)
    weighted = clone(model).fit(as_kind(X, kind), y, kept.astype(float), groups=groups)
    alone = clone(model).fit(as_kind(X[kept], kind), y[kept], np.ones(kept.sum()),
                             groups=groups[kept])
    same(weighted, alone)
    assert list(weighted.classes_) == [0, 1]
    assert np.array_equal(weighted.ask_, np.flatnonzero(kept)[alone.ask_])
    assert np.array_equal(weighted.importance_[kept], alone.importance_)
    assert np.isnan(weighted.importance_[~kept]).all()
    assert np.array_equal(weighted.folds_[kept], alone.folds_)
    assert (weighted.folds_[~kept] == -1).all()


def test_splits_number_rows_as_they_are_given():
    X, y = made(rows=200)
    kept = np.arange(len(y)) % 7 != 0
    splits = [(np.flatnonzero(np.arange(200) % 3 != k), np.flatnonzero(np.arange(200) % 3 == k))
              for k in range(3)]
    place = np.cumsum(kept) - 1
    fewer = [(place[a[kept[a]]], place[b[kept[b]]]) for a, b in splits]
    one = TemperedLogisticRegressionCV(**SMALL, cv=splits).fit(X, y, kept.astype(float))
    two = TemperedLogisticRegressionCV(**SMALL, cv=fewer).fit(X[kept], y[kept])
    np.testing.assert_array_equal(one.cv_results_["accuracy"], two.cv_results_["accuracy"])


def test_weights_that_leave_nothing_are_refused():
    X, y = made(rows=50)
    model = TemperedLogisticRegressionCV(**SMALL)
    with pytest.raises(ValueError, match="0 for every row|one non-zero"):
        model.fit(X, y, np.zeros(len(y)))
    with pytest.raises(ValueError, match="of one class only"):
        model.fit(X, y, (y == 1).astype(float))
    with pytest.raises(ValueError, match="weight"):
        model.fit(X, y, np.where(np.arange(50) == 3, -1.0, 1.0))


# ---- Folds ---------------------------------------------------------------------------------------

def test_a_splitter_and_its_splits_are_the_same():
    X, y = made(rows=200, classes=3)
    splitter = StratifiedKFold(4, shuffle=True, random_state=3)
    splits = list(splitter.split(X, y))
    number = np.empty(len(y), dtype=int)
    for k, (_, test) in enumerate(splits):
        number[test] = k
    masks = [(number != k, number == k) for k in range(4)]
    models = [TemperedLogisticRegressionCV(**SMALL, cv=cv).fit(X, y)
              for cv in (splitter, splits, PredefinedSplit(number), masks)]
    for model in models[1:]:
        same(models[0], model)
    assert models[0].n_splits_ == 4
    assert np.array_equal(models[0].folds_, number)


@pytest.mark.parametrize("classes", [2, 3])
def test_a_splitter_of_the_folds_of_an_int_is_the_same(classes):
    X, y = made(rows=200, classes=classes)
    drawn = TemperedLogisticRegressionCV(**SMALL, cv=4, random_state=3).fit(X, y)
    assert np.ptp(np.bincount(drawn.folds_ + 4 * y).reshape(-1, 4), axis=1).max() <= 1  # stratified
    same(drawn, TemperedLogisticRegressionCV(**SMALL, cv=PredefinedSplit(drawn.folds_),
                                             random_state=3).fit(X, y))
    other = TemperedLogisticRegressionCV(**SMALL, cv=4, random_state=4).fit(X, y)
    assert not np.array_equal(other.folds_, drawn.folds_)


@pytest.mark.parametrize("cv, words", [
    (ShuffleSplit(4, random_state=0), "must not overlap"), (RepeatedKFold(n_splits=2), "must not"),
    (TimeSeriesSplit(3), "in the test part of no split|in neither part"),
    ([(range(50), range(50, 100))], "in the test part of no split"),
    ([(range(40, 100), range(50)), (range(50), range(50, 100))], "in both parts of split 0"),
    ([(range(60, 100), range(50)), (range(50), range(50, 100))], "in neither part of split 0"),
    ([(range(50), [100]), (range(50), range(50, 100))], "row numbers below 100"),
    ([1, 2], "a pair of arrays"), (1, "2 folds or more"), (True, "a number of folds"),
    ("five", "a number of folds"), (101, "use fewer folds"),
    ([(range(0), range(100))], "folds")])
def test_folds_that_are_none_are_refused(cv, words):
    X, y = made(rows=100)
    with pytest.raises(ValueError, match=words):
        TemperedLogisticRegressionCV(**SMALL, cv=cv).fit(X, y)


def test_a_generator_will_do():
    X, y = made(rows=100)
    cv = KFold(3)
    one = TemperedLogisticRegressionCV(**SMALL, cv=cv.split(X)).fit(X, y)
    same(one, TemperedLogisticRegressionCV(**SMALL, cv=cv).fit(X, y))


# ---- Candidates ----------------------------------------------------------------------------------

def test_grids():
    X, y = made(rows=80)
    table = TemperedLogisticRegressionCV(t1=(0.5, 0.7), t2="1..1.4:3", l2=np.array([1e-3, 0.1]),
                                         only=True, cv=2).fit(X, y).cv_results_
    assert sorted(set(table["t1"])) == [0.5, 0.7] and len(table["l2"]) == 12
    np.testing.assert_allclose(sorted(set(table["t2"])), [1, 1.2, 1.4])
    assert sorted(set(table["l2"])) == [1e-3, 0.1]
    text = TemperedLogisticRegressionCV(grid="only t1=0.5,0.7 t2=1,1.2,1.4 l2=1e-3,0.1", cv=2)
    np.testing.assert_allclose(text.fit(X, y).cv_results_["accuracy"], table["accuracy"])


@pytest.mark.parametrize("options, words", [
    ({"grid": "paper", "t1": 0.5}, "grid says all"), ({"t1": []}, "t1 has to be"),
    ({"t1": [-1]}, "needs numbers >= 0"), ({"t1": [None]}, "t1 has to be a number"),
    ({"t1": "0.5 t2=1"}, "t1 has to be"), ({"grid": "t4=1"}, "is unknown"),
    ({"loss": "best"}, "unknown loss"), ({"criterion": "best"}, "unknown criterion 'best'"),
    ({"assume": "nothing"}, "cannot be assumed"), ({"ask": -1}, "ask has to be"),
    ({"tol": "x"}, "tol has to be")])
def test_parameters_that_are_none_are_refused(options, words):
    X, y = made(rows=60)
    with pytest.raises(ValueError, match=words):
        TemperedLogisticRegressionCV(**options).fit(X, y)


# ---- Trusted rows --------------------------------------------------------------------------------

def test_trusted_rows_decide(kind):
    X, y = made(rows=240)
    others, labels = made(rows=60, seed=5)
    model = TemperedLogisticRegressionCV(**SMALL, cv=3)
    model.fit(as_kind(X, kind), y, trusted=(as_kind(others, kind), labels))
    assert model.decided_by_ == "trusted" and np.isfinite(model.cv_results_["trusted"]).all()
    assert model.cv_results_["trusted"][model.best_index_] == model.cv_results_["trusted"].max()
    names = np.array(["no", "yes"])
    own = {int(row): names[y[row]] for row in range(0, 240, 6)}
    weight = np.where(np.arange(240) % 6 == 1, 0.0, 1.0)
    model.fit(as_kind(X, kind), names[y], weight, trusted=own)
    assert model.decided_by_ == "trusted"


@pytest.mark.parametrize("trusted, words", [
    ({300: 1}, "no row 300"), ({-1: 1}, "no row -1"), ({"a": 1}, "no row 'a'"),
    ({1: 7}, "the label 7, which no row"), ({0: 1}, "row 0 has weight 0"), ({}, "no rows"),
    (7, "a pair"), ((np.zeros((2, 8)), [1]), "2 rows, and 1 labels"),
    ((np.zeros((2, 8)), [1, 9]), "which the data does not have")])
def test_trusted_rows_that_are_none_are_refused(trusted, words):
    X, y = made(rows=100)
    weight = np.r_[0.0, np.ones(99)]
    with pytest.raises(ValueError, match=words):
        TemperedLogisticRegressionCV(**SMALL).fit(X, y, weight, trusted=trusted)


# ---- As an object --------------------------------------------------------------------------------

def test_clone_and_pickle():
    X, y = made(rows=150, classes=3)
    model = TemperedLogisticRegressionCV(**SMALL, cv=StratifiedKFold(3)).fit(X, y)
    twin = clone(model)
    with pytest.raises(NotFittedError):
        twin.predict(X)
    same(model, twin.fit(X, y))
    back = pickle.loads(pickle.dumps(model))
    same(model, back)
    assert np.array_equal(model.predict_proba(X), back.predict_proba(X))
    assert back.warnings_ == model.warnings_ and back.get_params()["t1"] == [0.5, 1]


def test_in_a_pipeline_and_as_a_file(tmp_path):
    X, y = made(rows=150)
    pipeline = make_pipeline(StandardScaler(), TemperedLogisticRegressionCV(**SMALL, cv=3))
    assert cross_val_score(pipeline, X, y, cv=2).mean() > 0.7
    model = TemperedLogisticRegressionCV(**SMALL, cv=3).fit(X, y)
    temperlr.save(model, tmp_path / "m")
    loaded = temperlr.load(tmp_path / "m")
    assert (loaded.t1_, loaded.t2_) == (model.t1_, model.t2_)
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_threads_change_no_bit():
    for classes in (2, 3):
        X, y = made(rows=300, classes=classes)
        one, two = (TemperedLogisticRegressionCV(**SMALL, n_jobs=n).fit(X, y) for n in (1, 2))
        same(one, two)


# ---- Progress ------------------------------------------------------------------------------------

@pytest.mark.parametrize("classes, jobs", [(2, 1), (3, 1), (3, 2)])
def test_progress(classes, jobs, capsys):
    X, y = made(rows=200, classes=classes)
    seen = []
    TemperedLogisticRegressionCV(**SMALL, n_jobs=jobs, callback=seen.append,
                                 verbose=1).fit(X, y)
    assert all(isinstance(now, temperlr.TuneProgress) for now in seen)
    assert [now.done for now in seen] == sorted(now.done for now in seen)
    assert {"halves", "folds", "check"} <= {now.phase for now in seen}
    assert seen[-1].done <= seen[-1].all and "temper:" in capsys.readouterr().err


@pytest.mark.parametrize("classes, jobs", [(2, 1), (3, 2)])
def test_a_callback_may_end_it(classes, jobs):
    X, y = made(rows=200, classes=classes)
    model = TemperedLogisticRegressionCV(**SMALL, n_jobs=jobs, callback=lambda now: now.done > 2)
    with pytest.raises(RuntimeError, match="the callback ended tuning"):
        model.fit(X, y)

    def fail(now):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        model.set_params(callback=fail).fit(X, y)
    assert not hasattr(model, "coef_")


@pytest.mark.parametrize("classes, jobs", [(2, 1), (3, 2)])
def test_ctrl_c_ends_it_and_leaves_it_as_it_was(classes, jobs):
    X, y = made(rows=300)
    model = TemperedLogisticRegressionCV(**SMALL, n_jobs=jobs).fit(X, y)
    before = model.coef_
    rng = np.random.RandomState(0)
    big, labels = rng.normal(size=(5000, 50)).astype(np.float32), rng.randint(0, classes, 5000)
    with pytest.raises(KeyboardInterrupt), ctrl_c_inside():
        model.set_params(tol=1e-12, grid="paper", t1=None, t2=None, l2=None).fit(big, labels)
    assert model.coef_ is before
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert hasattr(model.set_params(grid=None, **SMALL, tol=1e-4).fit(X, y), "coef_")
