"""Losses besides the paper's: symmetric cross-entropy, trimmed logistic regression, forward correction."""
import numpy as np
import pytest
import temperlr
from scipy import sparse
from sklearn.datasets import load_iris, make_classification


def softmax(a):
    e = np.exp(a - a.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("alpha, beta, log_zero", [(0.1, 1, -4), (2, 0.5, -6), (0, 1, -1)])
def test_symmetric_cross_entropy_is_the_defined_one(classes, alpha, beta, log_zero):
    rng = np.random.default_rng(3)
    a, y = rng.normal(size=(30, classes)) * 4, rng.integers(classes, size=30)
    p, own = softmax(a), np.eye(classes)[y]
    reverse = -(p * np.where(own == 1, 0.0, log_zero)).sum(axis=1)
    cross = -np.log(p[np.arange(30), y])
    loss = f"sce:{alpha}:{beta}:{log_zero}"
    value, gradient = temperlr.tempered_loss(a, y, loss=loss, gradient=True)
    np.testing.assert_allclose(value, alpha * cross + beta * reverse, rtol=1e-12, atol=1e-14)
    for c in range(classes):
        step = np.zeros(classes)
        step[c] = 1e-6
        slope = (temperlr.tempered_loss(a + step, y, loss=loss)
                 - temperlr.tempered_loss(a - step, y, loss=loss)) / 2e-6
        np.testing.assert_allclose(gradient[:, c], slope, atol=1e-7)


@pytest.mark.parametrize("loss", ["sce", "sce:0.5:2:-6", "trimmed", "trimmed:0.1", "forward",
                                  "hinge:0.5"])
def test_losses_are_fitted_kept_and_loaded(loss, tmp_path):
    X, y = load_iris(return_X_y=True)
    model = temperlr.TemperedLogisticRegression(loss=loss).fit(X, y)
    assert model.score(X, y) > 0.9
    assert model.loss_ == loss
    assert not hasattr(model, "importance_")
    dense = temperlr.TemperedLogisticRegression(loss=loss, scale="none", tol=1e-6, l2=0.01).fit(X, y)
    csr = temperlr.TemperedLogisticRegression(loss=loss, scale="none", tol=1e-6, l2=0.01).fit(
        sparse.csr_matrix(X), y)
    assert (dense.predict(X) == csr.predict(X)).mean() > 0.98
    model.save(tmp_path / "model.temper")
    back = temperlr.load(tmp_path / "model.temper")
    assert temperlr.TemperedLogisticRegression(loss=back.loss).fit(X, y).loss_ == back.loss_
    np.testing.assert_array_equal(back.predict(X), model.predict(X))
    if not loss.startswith("hinge"):
        np.testing.assert_allclose(model.raw_proba(X), softmax(model.decision_function(X)), rtol=1e-6)


def test_losses_are_chosen_from():
    X, y = make_classification(300, 5, random_state=1)
    model = temperlr.TemperedLogisticRegressionCV(
        loss=["sce", "sce:2:1:-4", "trimmed:0.1"], l2="1x", only=True, cv=2).fit(X, y)
    assert list(model.cv_results_["loss"]) == ["sce", "sce:2:1:-4", "trimmed:0.1"]
    assert model.loss_ in ("sce", "sce:2:1:-4", "trimmed:0.1")


@pytest.mark.parametrize("loss, words", [("sce:1", "too few"), ("sce:1:1:4", "out of range"),
                                         ("trimmed:1", "out of range"), ("gce:0.5", "give t1"),
                                         ("xyz:1", "losses are tempered")])
def test_what_is_no_loss_is_refused(loss, words):
    with pytest.raises(ValueError, match=words):
        temperlr.TemperedLogisticRegression(loss=loss).fit([[0.0], [1.0]], [0, 1])


def test_trimming_leaves_out_flipped_labels():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 4))
    true = (X @ [2, -1, 1, 0.5] > 0).astype(int)
    noisy = np.where(rng.random(600) < 0.15, 1 - true, true)
    fit = {loss: temperlr.TemperedLogisticRegression(loss=loss).fit(X, noisy).score(X, true)
           for loss in ("logistic", "trimmed:0.15")}
    assert fit["trimmed:0.15"] > fit["logistic"] + 0.02
    assert fit["trimmed:0.15"] > 0.99


@pytest.mark.parametrize("loss", ["trimmed", "trimmed:0.1", "forward"])
def test_the_loss_of_one_row_is_refused_where_it_depends_on_others(loss):
    with pytest.raises(ValueError, match="no function of activations"):
        temperlr.functions.tempered_loss([0.0, 1.0], 0, loss=loss)
