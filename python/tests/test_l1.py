"""L1 penalties and elastic nets: LogisticRegression's objective and parameters, exact zeros, and what is refused."""
import warnings

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from temperlr import TemperedLogisticRegression, TemperedLogisticRegressionCV, load, save

SAME = {"loss": "logistic", "scale": "none", "calibrate": "none", "tol": 1e-7}


def rows(classes, n=240, d=15, seed=3):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    scores = X[:, :classes] * 1.5 + random.gumbel(size=(n, classes))
    return X, scores.argmax(axis=1)


def objective(X, y, weights, C, ratio, coef, intercept):
    a = X @ coef.T + intercept
    if coef.shape[0] == 1:
        loss = np.logaddexp(0, -np.where(y == 1, 1, -1) * np.asarray(a).ravel())
    else:
        loss = np.logaddexp.reduce(a, axis=1) - np.asarray(a)[np.arange(len(y)), y]
    return C * (weights * loss).sum() + ratio * np.abs(coef).sum() + (1 - ratio) / 2 * (coef**2).sum()


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("ratio", [1.0, 0.4])
@pytest.mark.parametrize("sparse", [False, True])
def test_objective_is_that_of_logistic_regression(classes, ratio, sparse):
    X, y = rows(classes)
    X = scipy.sparse.csr_matrix(np.where(np.abs(X) > 0.8, X, 0)) if sparse else X
    weights = np.arange(len(y)) % 3 + 0.5
    ours = TemperedLogisticRegression(C=0.2, l1_ratio=ratio, **SAME).fit(X, y, sample_weight=weights)
    theirs = LogisticRegression(C=0.2, penalty="elasticnet", l1_ratio=ratio, solver="saga", tol=1e-8, max_iter=20000,
                                random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # penalty is deprecated from 1.8 on, and needed before
        theirs.fit(X, y, sample_weight=weights)
    mine = objective(X, y, weights, 0.2, ratio, ours.coef_, ours.intercept_)
    other = objective(X, y, weights, 0.2, ratio, theirs.coef_, theirs.intercept_)
    assert abs(mine - other) <= 1e-6 * other
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-4)
    assert (ours.coef_ == 0).any()
    assert ours.stop_reason_ == "converged"


def test_names_of_logistic_regression():
    X, y = rows(2)
    total = len(y)
    by_l1 = TemperedLogisticRegression(l1=1 / (0.2 * total), **SAME).fit(X, y)
    for parameters in ({"penalty": "l1", "C": 0.2}, {"l1_ratio": 1, "C": 0.2}, {"penalty": "elasticnet", "l1_ratio": 1.0, "C": 0.2},
                       {"penalty": "l1", "C": 0.2, "solver": "liblinear"}, {"penalty": "l1", "l1": 1 / (0.2 * total)}):
        np.testing.assert_array_equal(TemperedLogisticRegression(**parameters, **SAME).fit(X, y).coef_, by_l1.coef_)
    assert by_l1.l1_ == 1 / (0.2 * total) and by_l1.l2_ == 0 and by_l1.solver_ == "proximal"
    default = TemperedLogisticRegression(penalty="l1", **SAME).fit(X, y)
    np.testing.assert_array_equal(default.coef_, TemperedLogisticRegression(l1=1 / total, **SAME).fit(X, y).coef_)
    net = TemperedLogisticRegression(l1=0.01, l2=0.02, **SAME).fit(X, y)
    assert (net.l1_, net.l2_) == (0.01, 0.02)
    same = TemperedLogisticRegression(C=1 / (total * 0.03), l1_ratio=1 / 3, **SAME).fit(X, y)
    np.testing.assert_allclose(same.coef_, net.coef_, atol=1e-9)
    assert clone(net).l1 == 0.01


def test_without_l1_nothing_changes():
    X, y = rows(2)
    plain = TemperedLogisticRegression().fit(X, y)
    np.testing.assert_array_equal(plain.coef_, TemperedLogisticRegression(l1=0.0).fit(X, y).coef_)
    np.testing.assert_array_equal(TemperedLogisticRegression(C=2.0).fit(X, y).coef_,
                                  TemperedLogisticRegression(C=2.0, l1_ratio=0.0).fit(X, y).coef_)


@pytest.mark.parametrize("parameters, words", [
    ({"l1": -1}, "l1 must be"), ({"l1": "auto"}, "l1 has to be"), ({"l1": 0.1, "C": 1}, "the same penalty in two units"),
    ({"l1_ratio": 2}, "from 0 to 1"), ({"penalty": "elasticnet"}, "needs l1_ratio"),
    ({"penalty": "l1", "l2": 0.1}, "nothing for l2"), ({"l1_ratio": 0.5, "l2": 0.1}, "divides C"), ({"penalty": None, "l1": 1}, "penalty=None"),
    ({"penalty": "l0"}, "not known"), ({"l1": 0.1, "loss": "hinge"}, "hinge"), ({"l1": 0.1, "solver": "newton"}, "L1 penalty")])
def test_contradictions_are_refused(parameters, words):
    X, y = rows(2, n=60)
    with pytest.raises(ValueError, match=words):
        TemperedLogisticRegression(**parameters).fit(X, y)


def test_an_l1_ratio_beside_l1_has_no_effect():
    X, y = rows(2, n=60)
    with pytest.warns(UserWarning, match="l1_ratio=0.5 has no effect"):
        both = TemperedLogisticRegression(penalty="l1", l1_ratio=0.5, C=2.0).fit(X, y)
    np.testing.assert_array_equal(both.coef_, TemperedLogisticRegression(penalty="l1", C=2.0).fit(X, y).coef_)


def test_sparse_coefficients_and_files(tmp_path):
    X, y = rows(3)
    model = TemperedLogisticRegression(l1=0.03).fit(X, y)
    dense = model.coef_.copy()
    save(model, tmp_path / "m.temper")
    again = load(tmp_path / "m.temper")
    assert again.l1_ == again.l1 == 0.03
    np.testing.assert_array_equal(again.coef_, dense)
    model.sparsify()
    assert scipy.sparse.issparse(model.coef_) and model.coef_.nnz == (dense != 0).sum() < dense.size
    np.testing.assert_array_equal(model.predict(X), again.predict(X))


def test_an_empty_model_is_a_model():
    X, y = rows(2)
    with pytest.warns(UserWarning, match="no feature has a weight"):
        model = TemperedLogisticRegression(l1=10.0).fit(X, y)
    assert not model.coef_.any() and len(set(model.predict(X))) == 1


def test_temperatures_are_chosen_with_l1():
    X, y = rows(2, n=150, d=6)
    model = TemperedLogisticRegression(t1="auto", l1=0.01).fit(X, y)
    assert model.l1_ == 0.01 and model.l2_ == 0
    tuned = TemperedLogisticRegressionCV(grid="only loss=logistic l1=0.001,0.01,0.1", cv=3).fit(X, y)
    assert list(tuned.cv_results_["l1"]) == [0.1, 0.01, 0.001] and not tuned.cv_results_["l2"].any()
    assert tuned.l1_ in (0.001, 0.01, 0.1)
