"""temperlr.jax: values and gradients against many digits, extremes, jit and vmap."""
import doctest

import numpy as np
import pytest

try:
    import jax
    import jax.numpy as jnp
    import mpmath  # noqa: F401
    from network_reference import CASES, bi_tempered, tempered, value_and_gradient
    from published_losses import published_bi_tempered

    import temperlr.jax as networks
except ImportError:
    jax, CASES = None, [(0.8, 1.2)]

pytestmark = pytest.mark.skipif(jax is None, reason="needs jax and mpmath: make python-long")

ROW, SOFT = [0.5, -1.25, 2.0, 0.0], [0.1, 0.6, 0.0, 0.3]


def losses():
    return [(networks.tempered_loss, tempered), (networks.bi_tempered_loss, bi_tempered)]


@pytest.mark.parametrize("t1, t2", CASES)
def test_many_digits(t1, t2):
    for ours, exact in losses():
        for label, y in ((np.int32(1), [0.0, 1.0, 0.0, 0.0]), (np.array(SOFT, np.float32), SOFT)):
            value, gradient = value_and_gradient(exact, ROW, y, t1, t2)
            for dtype, bound in ((jnp.float32, 3e-6), (jnp.bfloat16, 2e-2)):
                loss, slopes = jax.value_and_grad(lambda a: ours(a, label, t1, t2))(jnp.array(ROW, dtype))
                assert loss.dtype == slopes.dtype == dtype
                assert abs(float(loss) - value) <= bound * (1 + abs(value))
                np.testing.assert_allclose(np.asarray(slopes, np.float64), gradient, atol=bound)


def test_no_nan_at_extremes():
    rows = jnp.array([[1e30, -1e30, 0.0], [-1e30, 1e30, 1e30], [jnp.inf, 0.0, -jnp.inf]])
    for ours, _ in losses():
        for t1, t2 in ((0.8, 2.0), (1.0, 1.0), (0.2, 0.5)):
            value, slopes = jax.value_and_grad(lambda a: ours(a, jnp.array([0, 0, 2]), t1, t2).sum())(rows)
            assert not jnp.isnan(value) and jnp.isfinite(slopes).all()


def test_compiled_and_mapped():
    rows, labels = jax.random.normal(jax.random.key(0), (6, 5)), jnp.arange(6) % 5
    ours = lambda a, y: networks.tempered_loss(a, y, 0.5, 1.3, label_smoothing=0.1)  # noqa: E731
    np.testing.assert_allclose(jax.jit(jax.vmap(ours))(rows, labels), ours(rows, labels), rtol=1e-5)
    slope = jax.grad(lambda a: networks.tempered_softmax(a, 1.5)[0])(rows[0])
    step = 1e-2 * jnp.eye(5)
    differences = [(networks.tempered_softmax(rows[0] + h, 1.5)[0] - networks.tempered_softmax(rows[0] - h, 1.5)[0])
                   / 2e-2 for h in step]
    np.testing.assert_allclose(slope, differences, atol=1e-4)


@pytest.mark.parametrize("t1, t2", [(0.8, 1.2), (0.2, 1.5), (1.0, 2.0)])
def test_published_formulas_in_doubles(t1, t2):
    rng = np.random.default_rng(3)
    rows, labels = 2 * rng.normal(size=(12, 10)), rng.integers(10, size=12)
    exact, slopes = published_bi_tempered(rows, np.eye(10)[labels], t1, t2)
    with jax.enable_x64(True):
        value, gradient = jax.vmap(jax.value_and_grad(lambda a, y: networks.bi_tempered_loss(a, y, t1, t2)))(
            jnp.asarray(rows), jnp.asarray(labels))
        assert value.dtype == gradient.dtype == jnp.float64
        np.testing.assert_allclose(value, exact, rtol=1e-10, atol=1e-11)
        np.testing.assert_allclose(gradient, slopes, rtol=1e-10, atol=1e-11)


def test_second_derivatives_and_both_modes():
    with jax.enable_x64(True):
        row, soft = jnp.array(ROW, jnp.float64), jnp.array(SOFT, jnp.float64)
        for ours, _ in losses():
            loss = lambda a, y=soft: ours(a, y, 0.8, 1.4)  # noqa: E731
            hessian = jax.hessian(loss)(row)
            np.testing.assert_allclose(jax.jacfwd(jax.jacfwd(loss))(row), hessian, atol=1e-12)
            step = 1e-5
            differences = [(jax.grad(loss)(row + step * e) - jax.grad(loss)(row - step * e)) / (2 * step)
                           for e in np.eye(4)]
            np.testing.assert_allclose(hessian, differences, atol=1e-8)
            by_label = jax.grad(lambda y: loss(row, y))(soft)
            for k in (0, 1, 3):
                e = step * np.eye(4)[k]
                np.testing.assert_allclose(by_label[k], (loss(row, soft + e) - loss(row, soft - e)) / (2 * step),
                                           atol=1e-6)


def test_weights_and_reductions():
    rows, labels = jax.random.normal(jax.random.key(1), (6, 3)), jnp.array([0, 2, 1, -100, 2, 0])
    weight = jnp.array([1.0, 2.0, 0.5])
    for ours, _ in losses():
        each = ours(rows, jnp.where(labels < 0, 0, labels), 0.6, 1.2)
        factor = jnp.array([1.0, 0.5, 2.0, 0.0, 0.5, 1.0])
        np.testing.assert_allclose(ours(rows, labels, 0.6, 1.2, weight=weight), each * factor, rtol=1e-6)
        np.testing.assert_allclose(ours(rows, labels, 0.6, 1.2, weight=weight, reduction="mean"),
                                   (each * factor).sum() / factor.sum(), rtol=1e-6)
        np.testing.assert_allclose(ours(rows, labels, 0.6, 1.2, reduction="sum"), (each * (labels >= 0)).sum(), rtol=1e-6)
        np.testing.assert_allclose(ours(rows.T, jnp.abs(labels) % 3, 0.6, 1.2, axis=0),
                                   ours(rows, jnp.abs(labels) % 3, 0.6, 1.2), rtol=1e-6)


def test_binary():
    a, y = jnp.array([3.0, -0.5, 0.0]), jnp.array([1, 0, 1])
    for kind, ours in (("tempered", networks.tempered_loss), ("bi-tempered", networks.bi_tempered_loss)):
        two = ours(jnp.stack([-a / 2, a / 2], -1), y, 0.4, 1.3)
        np.testing.assert_allclose(networks.binary_tempered_loss(a, y, 0.4, 1.3, loss=kind), two, rtol=1e-6)
        cross = -jax.nn.log_sigmoid(jnp.where(y == 1, a, -a))
        np.testing.assert_allclose(networks.binary_tempered_loss(a, y, 1.0, 1.0, loss=kind), cross, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(networks.binary_tempered_loss(a, y, 1.0, 1.0, weight=[1.0, 3.0], reduction="sum"),
                               (cross * jnp.array([3.0, 1.0, 3.0])).sum(), rtol=1e-5)


def test_what_is_wrong_is_named():
    with pytest.raises(ValueError, match="t2 has to be a number"):
        networks.tempered_loss(jnp.zeros(3), 0, 0.5, -1.0)
    with pytest.raises(ValueError, match="label_smoothing has to be between"):
        networks.tempered_loss(jnp.zeros(3), 0, label_smoothing=-0.1)
    for wrong, words in [(lambda: networks.tempered_loss(jnp.zeros((2, 3)), jnp.zeros((2, 4))), "shape of the logits"),
                         (lambda: networks.tempered_loss(jnp.zeros((2, 3)), jnp.zeros(5, int)), "shape"),
                         (lambda: networks.tempered_loss(jnp.zeros(3), 0, weight=[1.0]), "as many class weights"),
                         (lambda: networks.tempered_loss(jnp.zeros(3), 0, reduction="all"), "none, mean, sum"),
                         (lambda: networks.binary_tempered_loss(jnp.zeros(3), 0, loss="x"), "tempered, bi-tempered")]:
        with pytest.raises(ValueError, match=words):
            wrong()
    with pytest.raises(TypeError, match="floating-point"):
        networks.tempered_loss(jnp.zeros(3, int), 0)


def test_examples_of_the_docstrings():
    assert doctest.testmod(networks).failed == 0 < doctest.testmod(networks).attempted
