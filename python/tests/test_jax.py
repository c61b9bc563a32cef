"""temperlr.jax: values and gradients against many digits, extremes, jit and vmap."""
import doctest

import numpy as np
import pytest

try:
    import jax
    import jax.numpy as jnp
    import mpmath  # noqa: F401
    from network_reference import CASES, bi_tempered, tempered, value_and_gradient

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


def test_what_is_wrong_is_named():
    with pytest.raises(ValueError, match="t2 has to be a number"):
        networks.tempered_loss(jnp.zeros(3), 0, 0.5, -1.0)
    with pytest.raises(ValueError, match="label_smoothing has to be between"):
        networks.tempered_loss(jnp.zeros(3), 0, label_smoothing=-0.1)
    with pytest.raises(TypeError, match="floating-point"):
        networks.tempered_loss(jnp.zeros(3, int), 0)


def test_examples_of_the_docstrings():
    assert doctest.testmod(networks).failed == 0 < doctest.testmod(networks).attempted
