"""Noise on purpose."""
import numpy as np
import pytest
from conftest import made
from scipy import sparse

import temperlr


@pytest.mark.parametrize("kind", ["random", "pair", "small-margin", "large-margin"])
def test_a_share_of_the_labels_changes(kind):
    X, y = made(classes=3)
    labels = np.array(["c", "a", "b"])[y]
    noisy = temperlr.add_noise(X, labels, 0.1, kind)
    assert noisy.X is X and noisy.y.dtype == labels.dtype
    assert len(noisy.changed) == 60
    assert np.array_equal(np.flatnonzero(noisy.y != labels), noisy.changed)
    assert np.array_equal(temperlr.add_noise(X, labels, 0.1, kind).y, noisy.y)


def test_seeds_differ():
    X, y = made()
    drawn = [temperlr.add_noise(X, y, 0.1, random_state=seed).changed for seed in (1, 2)]
    assert not np.array_equal(*drawn)
    assert np.array_equal(temperlr.add_noise(X, y, 0.1).changed, drawn[0])
    generated = [temperlr.add_noise(X, y, 0.1, random_state=make(3)).changed
                 for make in (np.random.default_rng, np.random.RandomState)]
    assert all(len(changed) == 60 for changed in generated)


def test_pairs():
    X, y = made(classes=3)
    noisy = temperlr.add_noise(X, y, 0.3, "pair", pairs={0: 2, 1: 2})
    assert set(noisy.y[noisy.changed]) == {2} and not (y[noisy.changed] == 2).any()


def test_a_matrix_in_the_order_of_sorted_classes():
    X, y = made()
    labels = np.where(y == y[0], "z", "a")  # z comes first in the data
    noisy = temperlr.add_noise(X, labels, kind="matrix", matrix=[[1, 0], [0.5, 0.5]])
    assert (noisy.y[labels == "a"] == "a").all()
    assert 0.3 < (noisy.y[labels == "z"] == "a").mean() < 0.7


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
def test_features_of_others(make):
    X, y = made()
    pool = X[:50] + 100
    noisy = temperlr.add_noise(make(X), y, 0.2, "instance", pool=make(pool))
    features = noisy.X.toarray() if sparse.issparse(noisy.X) else noisy.X
    assert np.array_equal(noisy.y, y) and len(noisy.changed) > 0
    far = features.min(axis=1) >= 100
    assert np.array_equal(np.flatnonzero(far), noisy.changed)


def test_bad_noise_is_refused():
    X, y = made()
    with pytest.raises(ValueError, match="kind|noise"):
        temperlr.add_noise(X, y, 0.1, "nonsense")
    with pytest.raises(ValueError, match="rate|share"):
        temperlr.add_noise(X, y, 2.0)
    with pytest.raises(ValueError, match="class 'x'"):
        temperlr.add_noise(X, y, 0.1, "pair", pairs={"x": 1})


def test_rows_come_back_as_they_were():
    pandas = pytest.importorskip("pandas")
    X, y = made()
    frame = pandas.DataFrame(X)
    assert temperlr.add_noise(frame, y).X is frame
    assert temperlr.add_noise(X, y, kind="large-margin", n_jobs=-1).X is X
    with pytest.raises(ValueError, match="n_jobs"):
        temperlr.add_noise(X, y, n_jobs=0)


def largest_margins(X, y, l2, count):
    """Rows of the largest margins of a logistic regression, by Newton's method in NumPy."""
    sign, rows = np.where(y == 1, 1.0, -1.0), np.column_stack([X, np.ones(len(X))])
    penalty, w = np.append(np.full(X.shape[1], l2), 0.0), np.zeros(X.shape[1] + 1)
    for _ in range(50):
        p = 1 / (1 + np.exp(sign * (rows @ w)))
        gradient = -(rows.T @ (sign * p)) / len(X) + penalty * w
        hessian = (rows.T * (p * (1 - p))) @ rows / len(X) + np.diag(penalty)
        w -= np.linalg.solve(hessian, gradient)
    assert np.abs(gradient).max() < 1e-12
    return np.sort(np.argsort(-sign * (rows @ w))[:count])


@pytest.mark.parametrize("scale", ["none", "standard"])
def test_large_margins_are_those_of_the_minimum(scale):
    X, y = made(rows=400, columns=6)
    X = X * np.logspace(-2, 2, 6) + 3 * (y == 1)[:, None]  # separable, and ill-conditioned as it is
    scaled = X if scale == "none" else (X - X.mean(axis=0)) / X.std(axis=0)
    noisy = temperlr.add_noise(X, y, 0.1, "large-margin", rank_scale=scale)
    assert np.array_equal(noisy.changed, largest_margins(scaled, y, 1e-4, 40))


def test_an_unknown_scaling_of_the_ranking_is_refused():
    X, y = made()
    with pytest.raises(ValueError, match="no scaling 'huge'"):
        temperlr.add_noise(X, y, 0.1, "large-margin", rank_scale="huge")
