"""The functions on arrays: those of the library, by NumPy's rules."""
import numpy as np
import pytest
from scipy.special import logsumexp, softmax

import temperlr
from published_losses import published_bi_tempered


def test_broadcasting_and_numbers():
    x, t = np.array([[0.5], [2.0]]), np.array([0.0, 0.5, 1.0])
    out = temperlr.log_t(x, t)
    assert out.shape == (2, 3)
    np.testing.assert_allclose(out[:, 0], x[:, 0] - 1)
    np.testing.assert_allclose(out[:, 1], 2 * (np.sqrt(x[:, 0]) - 1))
    np.testing.assert_allclose(out[:, 2], np.log(x[:, 0]))
    assert isinstance(temperlr.log_t(2, 1), float)
    assert temperlr.exp_t([], 1).shape == (0,)


def test_exp_is_the_inverse_of_log():
    x, t = np.meshgrid(np.logspace(-3, 3, 13), [0, 0.3, 1 - 1e-9, 1, 1 + 1e-9, 1.7])
    np.testing.assert_allclose(temperlr.exp_t(temperlr.log_t(x, t), t), x, rtol=1e-6)
    assert temperlr.log_t(0.0, 0.5) == -2 and temperlr.log_t(0.0, 1.0) == -np.inf
    assert temperlr.exp_t(3.0, 2.0) == np.inf and np.isnan(temperlr.log_t(-1.0, 0.5))


def test_families():
    a = np.random.RandomState(0).normal(size=(4, 3, 5))
    np.testing.assert_allclose(temperlr.probabilities(a, 1.0), softmax(a, axis=-1))
    np.testing.assert_allclose(temperlr.log_partition(a, 1.0), logsumexp(a, axis=-1))
    for t in (0.0, 0.5, 1.5, 2.0):
        p = temperlr.probabilities(a, t)
        assert p.shape == a.shape
        np.testing.assert_allclose(p.sum(axis=-1), 1)
        g = temperlr.log_partition(a, t)
        np.testing.assert_allclose(temperlr.exp_t(a - g[..., None], t), p, atol=1e-12)
    assert isinstance(temperlr.log_partition([0.0, 1.0], 1.5), float)


def test_entropy_divergence_escort():
    p, q = np.array([[0.2, 0.8], [0.5, 0.5]]), np.array([0.4, 0.6])
    np.testing.assert_allclose(temperlr.entropy(p, 1.0), -(p * np.log(p)).sum(axis=1))
    np.testing.assert_allclose(temperlr.divergence(p, q, 1.0), (p * np.log(p / q)).sum(axis=1))
    np.testing.assert_allclose(temperlr.escort(p, 2.0), p**2 / (p**2).sum(axis=1, keepdims=True))


@pytest.mark.parametrize("loss, t1, t2", [("tempered", 0.3, 1.2), ("logistic", 1, 1),
                                          ("bregman", 0.5, 1.5)])
def test_gradient_of_the_loss(loss, t1, t2):
    a = np.random.RandomState(0).normal(size=(6, 4))
    y = np.array([0, 1, 2, 3, 0, 1])
    value, gradient = temperlr.tempered_loss(a, y, t1, t2, loss=loss, gradient=True)
    np.testing.assert_allclose(value, temperlr.tempered_loss(a, y, t1, t2, loss=loss))
    for c in range(4):
        step = np.zeros(4)
        step[c] = 1e-6
        slope = (temperlr.tempered_loss(a + step, y, t1, t2, loss=loss)
                 - temperlr.tempered_loss(a - step, y, t1, t2, loss=loss)) / 2e-6
        np.testing.assert_allclose(gradient[:, c], slope, atol=1e-8)


def test_loss_is_the_defined_one():
    a = np.random.RandomState(0).normal(size=(6, 4))
    p = temperlr.probabilities(a, 1.2)
    np.testing.assert_allclose(temperlr.tempered_loss(a, 2, 0.3, 1.2), -temperlr.log_t(p[:, 2], 0.3))
    assert isinstance(temperlr.tempered_loss([1.0, 0.0], 1), float)


def test_float32_is_not_converted():
    rng = np.random.RandomState(1)
    for classes, rows in ((3, 200), (1000, 20)):
        a, y = 2 * rng.normal(size=(rows, classes)), rng.randint(classes, size=rows)
        for loss in (temperlr.tempered_loss, temperlr.bi_tempered_loss):
            exact, slopes = loss(a, y, 0.8, 1.2, gradient=True)
            value, gradient = loss(a.astype(np.float32), y, 0.8, 1.2, gradient=True)
            assert exact.dtype == slopes.dtype == np.float64 and value.dtype == gradient.dtype == np.float32
            np.testing.assert_allclose(value, exact, rtol=1e-5)
            np.testing.assert_allclose(gradient, slopes, atol=1e-5)


def test_any_number_of_threads_gives_the_same_bits():
    rng = np.random.RandomState(2)
    a, y = rng.normal(size=(20000, 10)), rng.randint(10, size=20000)
    for loss in ("tempered", "bregman", "sce"):
        results = [temperlr.tempered_loss(a, y, 0.5, 1.3, loss=loss, gradient=True, n_jobs=jobs) for jobs in (1, 2, 3)]
        for value, gradient in results[1:]:
            np.testing.assert_array_equal(value, results[0][0])
            np.testing.assert_array_equal(gradient, results[0][1])


@pytest.mark.parametrize("t1, t2", [(0.8, 1.2), (0.2, 1.5), (1.0, 2.0)])
def test_bi_tempered_loss_is_the_published_one(t1, t2):
    rng = np.random.RandomState(3)
    a, y = 2 * rng.normal(size=(30, 10)), rng.dirichlet(np.ones(10), size=30)
    hard = rng.randint(10, size=30)
    for labels, distribution in ((y, y), (hard, np.eye(10)[hard])):
        value, gradient = temperlr.bi_tempered_loss(a, labels, t1, t2, gradient=True)
        exact, slopes = published_bi_tempered(a, distribution, t1, t2)
        np.testing.assert_allclose(value, exact, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(gradient, slopes, atol=1e-11)
    smooth = temperlr.bi_tempered_loss(a, hard, t1, t2, label_smoothing=0.1)
    np.testing.assert_allclose(smooth, published_bi_tempered(a, 0.9 * np.eye(10)[hard] + 0.01, t1, t2)[0], rtol=1e-10)


def test_soft_labels_are_a_divergence():
    rng = np.random.RandomState(4)
    a, y = rng.normal(size=(8, 4)), rng.dirichlet(np.ones(4), size=8)
    value = temperlr.tempered_loss(a, y, 0.4, 1.5)
    np.testing.assert_allclose(value, temperlr.divergence(y, temperlr.probabilities(a, 1.5), 0.4), rtol=1e-10)


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match="no probability"):
        temperlr.tempered_loss([[0.0, 1.0]], [[0.5, -0.5]])
    with pytest.raises(ValueError, match="label -1 of row 0"):
        temperlr.tempered_loss([[0.0, 1.0]], [-1])
    with pytest.raises(ValueError, match="below 2"):
        temperlr.bi_tempered_loss([[0.0, 1.0]], [0], t1=2.0)
    with pytest.raises(ValueError, match="label_smoothing"):
        temperlr.bi_tempered_loss([[0.0, 1.0]], [0], label_smoothing=1.5)
    with pytest.raises(ValueError, match="label 4 of row 0"):
        temperlr.tempered_loss([[0.0, 1.0]], [4])
    with pytest.raises(ValueError, match="numbers of classes"):
        temperlr.tempered_loss([[0.0, 1.0]], ["a"])
    with pytest.raises(ValueError, match="at least one number"):
        temperlr.entropy(1.0, 1.0)
    with pytest.raises(ValueError, match="no loss"):
        temperlr.tempered_loss([[0.0, 1.0]], [0], loss="x")
    with pytest.raises(ValueError):
        temperlr.log_t(np.zeros(3), np.zeros(2))
