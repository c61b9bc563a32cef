"""What LogisticRegression has and this package names otherwise: C, penalty, solvers, partial_fit."""
import numpy as np
import pytest
from conftest import made
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from temperlr import TemperedLogisticRegression


def logistic(**keywords):
    return TemperedLogisticRegression(1, 1, loss="logistic", scale="none", tol=1e-9, calibrate="none", **keywords)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("C", [0.05, 3.0])
def test_C_is_theirs(classes, C):
    X, y = made(200, 4, classes)
    weights = np.linspace(0.5, 2, len(y))
    theirs = LogisticRegression(C=C, tol=1e-9, max_iter=5000).fit(X, y, weights)
    ours = logistic(C=C).fit(X, y, weights)
    np.testing.assert_allclose(ours.coef_ - ours.coef_.mean(0) * (classes > 2),
                               theirs.coef_ - theirs.coef_.mean(0) * (classes > 2), atol=2e-5)
    assert ours.l2_ == pytest.approx(1 / (C * weights.sum()))


def test_C_with_class_weights_and_chosen_temperatures():
    X, y = made(120, 3)
    ours = logistic(C=2.0, class_weight={0: 3, 1: 1}).fit(X, y)
    assert ours.l2_ == pytest.approx(1 / (2 * (3 * (y == 0).sum() + (y == 1).sum())))
    chosen = TemperedLogisticRegression("auto", 1.0, C=2.0, calibrate="none").fit(X, y)
    assert chosen.l2_ == pytest.approx(1 / (2 * len(y)))


def test_no_penalty():
    X, y = made(200, 4)
    free = logistic(l2=0.0).fit(X, y)
    for same in (logistic(penalty=None), logistic(C=np.inf)):
        assert np.array_equal(same.fit(X, y).coef_, free.coef_)


@pytest.mark.parametrize("keywords, message", [
    ({"C": 1.0, "l2": 0.1}, "the same penalty in two units"),
    ({"C": 0}, "C has to be above 0"),
    ({"C": "big"}, "C has to be a number"),
    ({"penalty": "l0"}, "penalty='l0' is not known"),
    ({"penalty": None, "C": 1.0}, "leaves nothing for l2 and C"),
])
def test_contradictions_are_named(keywords, message):
    with pytest.raises(ValueError, match=message):
        TemperedLogisticRegression(**keywords).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("name, used", [("newton-cg", "newton"), ("newton-cholesky", "newton"), ("liblinear", "tron"),
                                        ("lbfgs", "lbfgs")])
def test_their_solvers_are_understood(name, used):
    X, y = made(300, 4)
    assert logistic(solver=name).fit(X, y).solver_ == used


def test_any_of_their_solvers():
    X, y = made(300, 4)
    for name in ("sag", "saga"):
        assert np.array_equal(logistic(solver=name).fit(X, y).coef_, logistic().fit(X, y).coef_)
    with pytest.raises(ValueError, match="simplex"):
        logistic(solver="simplex").fit(X, y)


def test_parameters_survive_a_clone():
    model = clone(TemperedLogisticRegression(C=3.0, penalty="l2"))
    assert model.get_params()["C"] == 3.0 and model.get_params()["penalty"] == "l2"


def test_partial_fit_has_a_reason():
    model = TemperedLogisticRegression()
    assert not hasattr(model, "partial_fit")
    with pytest.raises(AttributeError, match="warm_start=True, or train on rows of several machines by temperlr.shards"):
        model.partial_fit([[0.0]], [0])


def test_shards_need_l2():
    from temperlr.shards import Plan, survey

    X, y = made(60, 3)
    with pytest.raises(ValueError, match="C depends on the weight of all rows; give l2"):
        Plan([survey(X, y)], TemperedLogisticRegression(C=1.0))
