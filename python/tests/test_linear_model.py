"""temperlr.linear_model beside scikit-learn's classes; test_sklearn_logistic.py runs scikit-learn's own tests on it."""
import inspect
import pickle
import warnings

import numpy as np
import pytest
import sklearn
import sklearn.linear_model as theirs
from conftest import made
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import get_scorer, make_scorer
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit, StratifiedKFold, cross_val_score

import temperlr
from temperlr import TemperedLogisticRegression
from temperlr._compat import VERSION
from temperlr.linear_model import LogisticRegression, LogisticRegressionCV

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")
QUIET = {"use_legacy_attributes": False, "l1_ratios": (0.0,), "scoring": "accuracy", "max_iter": 1000}


def scaled(rows, columns, classes=2):
    """Of which every class has rows."""
    X, y = made(rows, columns, classes, seed=1)
    assert len(np.unique(y)) == classes
    return (X - X.mean(axis=0)) / X.std(axis=0), y


# ---- LogisticRegression --------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3])
def test_the_line_that_imports_it_is_all_that_changes(classes):
    X, y = scaled(300, 5, classes)
    weights = np.linspace(0.5, 2, len(y))
    keywords = {"C": 0.3, "tol": 1e-8, "max_iter": 1000, "class_weight": {0: 2.0, 1: 1.0, **({2: 0.5} if classes > 2 else {})}}
    ours, other = (kind.LogisticRegression(**keywords).fit(X, y, weights) for kind in (temperlr.linear_model, theirs))
    np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, other.intercept_, atol=1e-4)
    np.testing.assert_allclose(ours.predict_proba(X), other.predict_proba(X), atol=1e-4)
    assert np.array_equal(ours.predict(X), other.predict(X)) and ours.score(X, y) == other.score(X, y)


def test_parameters_are_theirs():
    if VERSION != (1, 9):
        pytest.skip("the parameters are those of scikit-learn 1.9")
    ours, other = LogisticRegression().get_params(), theirs.LogisticRegression().get_params()
    assert ours == {**other, "t1": 1.0, "t2": 1.0}
    assert LogisticRegressionCV().get_params() == theirs.LogisticRegressionCV().get_params()
    for name in ("LogisticRegression", "LogisticRegressionCV"):
        kinds = [[(p.name, p.kind) for p in inspect.signature(getattr(module, name)).parameters.values()]
                 for module in (temperlr.linear_model, theirs)]
        assert set(kinds[1]) <= set(kinds[0]), name


def test_temperatures():
    X, y = scaled(300, 5)
    ours = LogisticRegression(t1=0.3, C=2.0, max_iter=1000).fit(X, y)
    same = TemperedLogisticRegression(0.3, 1.0, C=2.0, scale="none", solver="lbfgs", tol=1e-7).fit(X, y)
    assert np.array_equal(ours.coef_, same.coef_) and np.array_equal(ours.predict_proba(X), same.predict_proba(X))
    assert (ours.t1_, ours.t2_) == (0.3, 1.0) and ours.importance_.min() < 0.5
    plain = LogisticRegression(max_iter=1000).fit(X, y)
    np.testing.assert_allclose(plain.predict_proba(X)[:, 1], 1 / (1 + np.exp(-plain.decision_function(X))), rtol=1e-12)
    assert LogisticRegression(t1="auto", max_iter=1000).fit(X, y).t1_ <= 1


def test_balanced_classes_count_weights():
    X, y = scaled(200, 3)
    times = np.random.RandomState(0).randint(0, 4, len(y))
    weighted = LogisticRegression(class_weight="balanced", tol=1e-9, max_iter=1000).fit(X, y, times)
    repeated = clone(weighted).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-6)


@pytest.mark.parametrize("keywords, words", [
    ({"l1_ratio": 1}, "solver='lbfgs' is for penalties by L2 or none, and this is 'l1'"),
    ({"dual": True}, 'dual=True is for solver="liblinear"'), ({"dual": 1}, "dual has to be True or False"),
    ({"solver": "liblinear", "l1_ratio": 0.5}, "for L1 or L2, not for both"),
    ({"solver": "liblinear", "C": np.inf}, "needs a penalty"),
    ({"solver": "liblinear", "dual": True, "l1_ratio": 1}, "dual=True is for L2 penalties"),
    ({"solver": "fastest"}, "solver"), ({"C": 0}, "C has to be above 0"), ({"l1_ratio": 2}, "l1_ratio has to be from 0 to 1"),
    ({"penalty": "l0"}, "penalty='l0' is not known"), ({"penalty": "elasticnet", "l1_ratio": None, "solver": "saga"}, "needs l1_ratio"),
    ({"intercept_scaling": 0}, "intercept_scaling has to be above 0")])
def test_what_they_refuse_is_refused(keywords, words):
    X, y = scaled(60, 3)
    with pytest.raises(ValueError, match=words):
        LogisticRegression(**keywords).fit(X, y)


def test_rows_that_their_solvers_refuse():
    X, y = scaled(60, 3, 3)
    with pytest.raises(ValueError, match='solver="liblinear" is for two classes, and there are 3'):
        LogisticRegression(solver="liblinear").fit(X, y)
    wide = sparse.csr_matrix(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    with pytest.raises(ValueError, match="indices of 32 bits"):
        LogisticRegression(solver="saga").fit(wide, y)
    assert LogisticRegression(max_iter=1000).fit(wide, y).coef_.shape == (3, 3)
    with pytest.raises(ValueError, match=r"values up to 1e\+30"):
        LogisticRegression(solver="liblinear").fit(X * 1e40, y > 0)


def test_solvers_of_this_package_have_no_such_limits():
    X, y = scaled(100, 3, 3)
    model = LogisticRegression(solver="auto", l1_ratio=1, C=0.1, max_iter=1000).fit(X, y)
    reference = LogisticRegression(solver="saga", l1_ratio=1, C=0.1, max_iter=1000).fit(X, y)
    assert np.array_equal(model.coef_, reference.coef_) and (model.coef_ == 0).any()


@pytest.mark.filterwarnings("error::FutureWarning")
@pytest.mark.parametrize("keywords, words", [({"penalty": "l2"}, "deprecates penalty"), ({"n_jobs": 1}, "ignores n_jobs=1"),
                                             ({"l1_ratio": None}, "deprecates l1_ratio=None")])
def test_deprecations_of_the_version(keywords, words):
    X, y = scaled(60, 3)
    if VERSION < (1, 8):
        assert LogisticRegression(**keywords).fit(X, y).coef_.shape == (1, 3)
        return
    with pytest.warns(FutureWarning, match=words) as caught:
        LogisticRegression(**keywords).fit(X, y)
    assert [one.filename for one in caught] == [__file__]
    LogisticRegression().fit(X, y)  # nothing is deprecated


def test_limits_of_iterations_are_warned_of():
    X, y = scaled(100, 3)
    with pytest.warns(ConvergenceWarning, match="raise max_iter") as caught:
        model = LogisticRegression(max_iter=2).fit(X, y)
    assert caught[0].filename == __file__ and model.n_iter_[0] == 2


def test_copies_and_files(tmp_path):
    X, y = scaled(100, 3)
    model = LogisticRegression(C=0.5, t1=0.5, max_iter=1000).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X)) and "t1=0.5" in repr(again)
    model.save(tmp_path / "model")
    assert np.array_equal(temperlr.load(tmp_path / "model").predict(X), model.predict(X))
    assert clone(model).get_params() == model.get_params()


# ---- LogisticRegressionCV ------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3])
def test_searches_beside_theirs(classes):
    X, y = scaled(200, 4, classes)
    names = np.array(["cat", "ant", "dog"])[y]
    keywords = {"Cs": 4, "cv": 3, "scoring": "neg_log_loss", "tol": 1e-8, "max_iter": 2000}
    if VERSION >= (1, 8):
        keywords["use_legacy_attributes"] = True
    ours, other = (kind.LogisticRegressionCV(**keywords).fit(X, names) for kind in (temperlr.linear_model, theirs))
    assert np.array_equal(ours.C_, other.C_) and np.array_equal(ours.Cs_, other.Cs_)
    assert ours.scores_.keys() == other.scores_.keys() == ours.coefs_paths_.keys()
    for label, scores in other.scores_.items():
        np.testing.assert_allclose(ours.scores_[label], scores, rtol=1e-4)
        np.testing.assert_allclose(ours.coefs_paths_[label], other.coefs_paths_[label], atol=2e-3)
    assert ours.n_iter_.shape == (1, 3, 4)
    np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-4)
    assert ours.score(X, names) == pytest.approx(other.score(X, names), rel=1e-5)


def test_scores_are_those_of_each_fold():
    X, y = scaled(150, 4, 3)
    folds = StratifiedKFold(3)
    model = LogisticRegressionCV(**{**QUIET, "l1_ratios": (0.0, 0.5)}, Cs=[0.01, 1.0], cv=folds, solver="saga").fit(X, y)
    assert model.scores_.shape == (3, 2, 2) and model.coefs_paths_.shape == (3, 2, 2, 3, 5)
    for place, C in enumerate(model.Cs_):
        for row, ratio in enumerate(model.l1_ratios_):
            alone = LogisticRegression(C=C, l1_ratio=ratio, solver="saga", max_iter=1000)
            np.testing.assert_allclose(model.scores_[:, row, place], cross_val_score(alone, X, y, cv=folds))
    best = LogisticRegression(C=model.C_, l1_ratio=model.l1_ratio_, solver="saga", max_iter=1000).fit(X, y)
    assert np.array_equal(best.coef_, model.coef_) and model.importance_.shape == (150,)


def test_weights_of_rows_are_those_of_folds():
    X, y = scaled(150, 4)
    weights = np.linspace(0, 3, len(y))
    folds = list(StratifiedKFold(3).split(X, y))
    model = LogisticRegressionCV(**QUIET, Cs=[0.1, 1.0], cv=folds, tol=1e-8).fit(X, y, weights)
    for place, (train, test) in enumerate(folds):
        alone = LogisticRegression(C=1.0, tol=1e-8, max_iter=1000).fit(X[train], y[train], weights[train])
        np.testing.assert_allclose(model.coefs_paths_[place, 0, 1, 0, :-1], alone.coef_[0], rtol=1e-6)
        assert model.scores_[place, 0, 1] == pytest.approx(alone.score(X[test], y[test], weights[test]))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, lambda X: X.astype(np.float32)])
def test_folds_fitted_together_are_those_of_single_fits(form):
    X, y = scaled(200, 4)
    names, weights, folds = np.array(["b", "a"])[y], np.linspace(0.5, 2, len(y)), list(StratifiedKFold(4).split(X, y))
    X = form(X)
    model = LogisticRegressionCV(**QUIET, Cs=[0.01, 1.0, 100.0], cv=folds, tol=1e-6).fit(X, names, weights)
    assert model._fold_of_rows(search_of(model, X, names, weights), folds) is not None
    for place, (train, test) in enumerate(folds):
        for of_C, C in enumerate(model.Cs_):
            alone = LogisticRegression(C=C, tol=1e-6, max_iter=1000).fit(X[train], names[train], weights[train])
            found = model.coefs_paths_[place, 0, of_C, 0]
            np.testing.assert_allclose(found, np.append(alone.coef_[0], alone.intercept_), rtol=1e-3, atol=1e-4)
            assert model.scores_[place, 0, of_C] == alone.score(X[test], names[test], weights[test])


def search_of(model, X, y, weights):
    """What a fit passes to its folds."""
    from temperlr._sklearn_params import search_shares
    from temperlr.linear_model import _Search
    return _Search(X, model._encode(X, y), weights, search_shares("deprecated", (0.0,)), None, weights)


def test_fits_that_share_passes_can_be_too_short():
    X, y = scaled(150, 4)
    with pytest.warns(ConvergenceWarning, match="of 12 fits stopped at max_iter=1"):
        model = LogisticRegressionCV(**{**QUIET, "max_iter": 1}, Cs=4, cv=3).fit(X, y)
    assert (model.n_iter_ == 1).any()


def test_a_fit_without_iterations_has_a_task():
    callback = pytest.importorskip("sklearn.callback.tests._utils", reason="scikit-learn has callbacks since 1.9")
    X, y = scaled(60, 3)
    recorded = callback.RecordingCallback()
    with pytest.warns(ConvergenceWarning):
        LogisticRegression(max_iter=0).set_callbacks(recorded).fit(X, y)
    assert recorded.count_hooks("on_fit_task_begin") == recorded.count_hooks("on_fit_task_end") == 3


def test_means_over_folds():
    X, y = scaled(150, 4, 3)
    model = LogisticRegressionCV(**QUIET, Cs=3, cv=3, refit=False).fit(X, y)
    best = model.scores_[:, 0].argmax(axis=1)
    mean = np.mean([model.coefs_paths_[fold, 0, C] for fold, C in enumerate(best)], axis=0)
    np.testing.assert_allclose(np.column_stack([model.coef_, model.intercept_]), mean, rtol=1e-12)
    assert model.C_ == pytest.approx(model.Cs_[best].mean()) and not hasattr(model, "objective_")
    np.testing.assert_allclose(model.decision_function(X), X @ mean[:, :4].T + mean[:, 4], atol=1e-9)


def test_threads_change_nothing():
    X, y = scaled(150, 4)
    one, two = (LogisticRegressionCV(**QUIET, Cs=3, cv=4, n_jobs=n).fit(X, y) for n in (1, 2))
    for name in ("scores_", "coefs_paths_", "coef_", "n_iter_"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name


def test_any_splits_and_scores():
    X, y = scaled(120, 3)
    splits = ShuffleSplit(4, test_size=0.3, random_state=0)  # test parts that overlap
    scored = []

    def count_ones(model, X, y, sample_weight=None):
        scored.append((len(y), None if sample_weight is None else len(sample_weight)))
        return float(model.predict(X).mean())

    model = LogisticRegressionCV(**{**QUIET, "scoring": count_ones}, Cs=2, cv=splits).fit(sparse.csr_matrix(X), y, np.ones(120))
    assert scored == [(36, 36)] * 8 and model.score(X, y) == model.predict(X).mean()
    masks = [(np.arange(120) % 2 == 0, np.arange(120) % 2 == 1)]
    assert LogisticRegressionCV(**QUIET, Cs=2, cv=masks).fit(X, y).scores_.shape == (1, 1, 2)
    roc = LogisticRegressionCV(**{**QUIET, "scoring": "roc_auc"}, Cs=2).fit(X, y)
    assert roc.score(X, y) == get_scorer("roc_auc")(roc, X, y)


@pytest.mark.parametrize("classes", [2, 3])
def test_classes_that_a_split_lacks(classes):
    X, y = scaled(90, 3, classes)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    cuts = np.cumsum(np.bincount(y))[:-1]
    splits = [(np.setdiff1d(np.arange(90), part), part) for part in np.split(np.arange(90), cuts)]
    model = LogisticRegressionCV(**QUIET, Cs=3, cv=splits).fit(X, y)
    assert (model.scores_ == 0).all() and np.isfinite(model.coefs_paths_).all()
    of_fold = LogisticRegression().fit(X, y)
    of_fold.coef_, of_fold.intercept_ = model.coefs_paths_[0, 0, 0, :, :-1], model.coefs_paths_[0, 0, 0, :, -1]
    assert of_fold.predict_proba(X)[:, 0].max() < 0.01  # the class that the first split does not train on
    if classes == 2:
        with pytest.raises(ValueError, match="one class"):
            LogisticRegressionCV(**QUIET, cv=splits, fit_intercept=False).fit(X, y)


def test_groups_and_weights_are_routed():
    if VERSION < (1, 4):
        with pytest.raises(ValueError, match="from scikit-learn 1.4 on"):
            LogisticRegressionCV().fit([[0.0], [1.0]], [0, 1], groups=[1, 2])
        return
    X, y = scaled(120, 3)
    groups = np.arange(120) // 10
    with sklearn.config_context(enable_metadata_routing=True):
        model = LogisticRegressionCV(**QUIET, Cs=2, cv=GroupKFold(4), n_jobs=2).fit(X, y, groups=groups)
        assert model.scores_.shape[0] == 4
        splits = list(GroupKFold(4).split(X, y, groups))
        unrequested = get_scorer("accuracy").set_score_request(sample_weight=False)
        with pytest.raises(TypeError, match="sample_weight"):
            LogisticRegressionCV(**{**QUIET, "scoring": unrequested}).fit(X, y).score(X, y, sample_weight=np.ones(120))
    np.testing.assert_allclose(model.scores_, LogisticRegressionCV(**QUIET, Cs=2, cv=splits).fit(X, y).scores_)
    with pytest.raises(ValueError, match="LogisticRegressionCV.fit takes groups .* only with metadata routing"):
        model.fit(X, y, groups=groups)


def test_scorers_have_all_classes():
    seen = []

    def function(y, P, labels=None, extra=None):
        seen.append((list(labels), extra))
        return 0.0

    response = {"response_method": "predict_proba"} if VERSION >= (1, 4) else {"needs_proba": True}
    X, y = scaled(60, 3, 3)
    LogisticRegressionCV(**{**QUIET, "scoring": make_scorer(function, extra=1, **response)}, Cs=1, cv=2).fit(X, y)
    assert seen == [([0, 1, 2], 1)] * 2


def test_data_frames_have_names():
    pandas = pytest.importorskip("pandas")
    X, y = scaled(80, 3)
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    model = LogisticRegressionCV(**QUIET, Cs=2).fit(frame, y)
    assert list(model.feature_names_in_) == ["a", "b", "c"] == list(model.explain(frame).feature_names)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(frame), model.predict(frame))


@pytest.mark.parametrize("keywords, words", [
    ({"Cs": 0}, "Cs has to be 1 or more"), ({"Cs": [0.0]}, "Cs have to be numbers above 0"), ({"l1_ratios": ()}, "l1_ratios has to"),
    ({"l1_ratios": (0.5,)}, "solver='lbfgs' is for penalties"), ({"penalty": None}, "penalty=None is not known"),
    ({"penalty": "elasticnet", "l1_ratios": None, "solver": "saga"}, "needs l1_ratios"), ({"cv": 1}, "n_splits=1|k-fold|fold")])
def test_searches_that_cannot_be(keywords, words):
    X, y = scaled(60, 3)
    with pytest.raises(ValueError, match=words):
        LogisticRegressionCV(**{**QUIET, **keywords}).fit(X, y)


def test_defaults_that_will_change():
    X, y = scaled(60, 3)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        LogisticRegressionCV(Cs=2, max_iter=1000).fit(X, y)
        LogisticRegressionCV(**QUIET, Cs=2).fit(X, y)
    found = [str(one.message) for one in caught]
    wanted = ["l1_ratios"] * (VERSION >= (1, 8)) + ["scoring"] * (VERSION >= (1, 9)) + ["use_legacy"] * (VERSION >= (1, 8))
    assert len(found) == len(wanted) and all(word in text for word, text in zip(wanted, found)), found


def test_callbacks_of_a_search():
    pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks since 1.9")
    X, y = scaled(60, 3)
    seen = []

    class Callback:
        def __init__(self, stop):
            self.stop = stop

        def setup(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):
            seen.append(context.task_name)

        def on_fit_task_end(self, estimator, context):
            return self.stop

    LogisticRegressionCV(**QUIET, Cs=2, cv=KFold(3)).set_callbacks(Callback(False)).fit(X, y)
    assert seen == ["fit"] + ["iteration"] * 3
    with pytest.raises(RuntimeError, match="a callback ended the search"):
        LogisticRegressionCV(**QUIET, Cs=2, cv=KFold(3)).set_callbacks(Callback(True)).fit(X, y)
