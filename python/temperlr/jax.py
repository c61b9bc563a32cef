"""The losses of :mod:`temperlr.torch` in JAX: one number for each row, as Optax has them; see there for the formulas.

Temperatures and smoothing are Python numbers, not traced. Gradients are formulas (``jax.custom_vjp``); bfloat16 and
half are computed in float32; ``jit``, ``vmap`` and ``grad`` work.

>>> import jax, jax.numpy as jnp
>>> losses = tempered_loss(jnp.array([[0.0, 0.0]]), jnp.array([1]), 1.0, 1.0)
>>> round(float(losses[0]), 4)
0.6931
"""
from __future__ import annotations

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp

__all__ = ["bi_tempered_loss", "tempered_loss", "tempered_softmax"]

_STEPS = 8  # of Newton's method; 7 reach rounding for every t > 0


def _check(t1: float, t2: float, smoothing: float = 0.0) -> None:
    for name, t in (("t1", t1), ("t2", t2)):
        if not (math.isfinite(t) and t >= 0):
            raise ValueError(f"{name} has to be a number, 0 or more, and is {t!r}")
    if not 0 <= smoothing <= 1:
        raise ValueError(f"label_smoothing has to be between 0 and 1, and is {smoothing!r}")


# ---- Probabilities -------------------------------------------------------------------------------------


def _log_exp_t(x: Any, t: float) -> Any:
    """log(exp_t(x)) of x <= 0."""
    return x if t == 1 else jnp.log1p(jnp.maximum((1 - t) * x, -1)) / (1 - t)


def _log_t(log_x: Any, t: float) -> Any:
    """log_t of exp(log_x)."""
    return log_x if t == 1 else jnp.expm1((1 - t) * log_x) / (1 - t)


def _power(p: Any, exponent: float) -> Any:
    """p**exponent, 0 where p is 0."""
    return jnp.where(p > 0, jnp.maximum(p, jnp.finfo(p.dtype).tiny) ** exponent, 0.0)


def _log_probabilities(a: Any, t: float) -> Any:
    """log p, p = exp_t(a - G), by Newton's method for (sum of p)**(1 - t) = 1 from G = max a; no step goes too far."""
    bound = float(jnp.finfo(a.dtype).max) / 4  # so that differences are finite
    a = jnp.clip(a, -bound, bound)
    if t == 1:
        return jax.nn.log_softmax(a, axis=-1)
    a = a - a.max(axis=-1, keepdims=True)

    def step(_: int, g: Any) -> Any:
        p = jnp.exp(_log_exp_t(a - g, t))
        total = p.sum(axis=-1, keepdims=True)
        return g + _log_t(jnp.log(total), t) * total**t / _power(p, t).sum(axis=-1, keepdims=True)

    g = jax.lax.fori_loop(0, _STEPS if t > 0 else _STEPS + a.shape[-1], step, jnp.zeros_like(a[..., :1]))
    return _log_exp_t(a - g, t)


def _escort(p: Any, t: float) -> Any:
    powers = _power(p, t)
    return powers / powers.sum(axis=-1, keepdims=True)


def _wide(logits: Any) -> Any:
    logits = jnp.asarray(logits)
    if not jnp.issubdtype(logits.dtype, jnp.floating):
        raise TypeError(f"logits have to be floating-point numbers, and are {logits.dtype}")
    return logits.astype(jnp.float32) if logits.dtype.itemsize < 4 else logits


@functools.partial(jax.custom_vjp, nondiff_argnums=(1,))
def _softmax(a: Any, t: float) -> Any:
    return jnp.exp(_log_probabilities(a, t))


def _softmax_forward(a: Any, t: float) -> Any:
    p = _softmax(a, t)
    return p, p


def _softmax_backward(t: float, p: Any, slopes: Any) -> Any:
    weighted = slopes * _power(p, t)
    return (weighted - _escort(p, t) * weighted.sum(axis=-1, keepdims=True),)


_softmax.defvjp(_softmax_forward, _softmax_backward)


def tempered_softmax(logits: Any, t: float) -> Any:
    """``exp_t(a - G_t(a))`` over the last axis.

    Examples
    --------
    >>> [round(float(p), 4) for p in tempered_softmax(jnp.array([1.0, 0.0, -3.0]), 0.0)]
    [1.0, 0.0, 0.0]
    """
    _check(1, t)
    return _softmax(_wide(logits), t).astype(jnp.asarray(logits).dtype)


# ---- Losses --------------------------------------------------------------------------------------------


def _tempered(log_p: Any, p: Any, y: Any, t1: float, t2: float) -> Any:
    ratio = log_p - jnp.log(jnp.maximum(y, jnp.finfo(y.dtype).tiny))
    losses = -jnp.where(y > 0, y * _log_t(ratio, t1), 0.0).sum(axis=-1)
    pull = _power(y, t1)
    if t2 != t1:
        pull = jnp.where(y > 0, pull * jnp.exp((t2 - t1) * log_p), 0.0)
    return losses, _escort(p, t2) * pull.sum(axis=-1, keepdims=True) - pull


def _bi_tempered(log_p: Any, p: Any, y: Any, t1: float, t2: float) -> Any:
    log_y = jnp.log(jnp.maximum(y, jnp.finfo(y.dtype).tiny))
    first = jnp.where(y > 0, y * (_log_t(log_y, t1) - _log_t(log_p, t1)), 0.0).sum(axis=-1)
    if t1 == 2:
        second = (log_y - log_p).sum(axis=-1)  # the limit
    else:
        second = (_power(y, 2 - t1) - jnp.exp((2 - t1) * log_p)).sum(axis=-1) / (2 - t1)
    labelled = (p - y) * jnp.exp((t2 - t1) * log_p) if t2 != t1 else p - y
    pull = jnp.where(y > 0, labelled, jnp.exp((1 + t2 - t1) * log_p))
    return first - second, pull - _escort(p, t2) * pull.sum(axis=-1, keepdims=True)


_FAMILIES = {"tempered": _tempered, "bi-tempered": _bi_tempered}


@functools.partial(jax.custom_vjp, nondiff_argnums=(2, 3, 4))
def _losses(a: Any, y: Any, family: str, t1: float, t2: float) -> Any:
    return _losses_forward(a, y, family, t1, t2)[0]


def _losses_forward(a: Any, y: Any, family: str, t1: float, t2: float) -> Any:
    log_p = _log_probabilities(a, t2)
    return _FAMILIES[family](log_p, jnp.exp(log_p), y, t1, t2)


def _losses_backward(family: str, t1: float, t2: float, gradient: Any, slopes: Any) -> Any:
    return slopes[..., None] * gradient, jnp.zeros_like(gradient)


_losses.defvjp(_losses_forward, _losses_backward)


def _loss(family: str, logits: Any, labels: Any, t1: float, t2: float, smoothing: float) -> Any:
    _check(t1, t2, smoothing)
    a, labels = _wide(logits), jnp.asarray(labels)
    if jnp.issubdtype(labels.dtype, jnp.floating):
        y = labels.astype(a.dtype)
    else:
        y = jax.nn.one_hot(labels, a.shape[-1], dtype=a.dtype)
    if smoothing:
        y = (1 - smoothing) * y + smoothing / a.shape[-1]
    return _losses(a, y, family, t1, t2).astype(jnp.asarray(logits).dtype)


def tempered_loss(logits: Any, labels: Any, t1: float = 0.8, t2: float = 1.2, *, label_smoothing: float = 0.0) -> Any:
    """The two-temperature loss of each row; ``labels`` are numbers of classes, or probabilities in the shape of
    ``logits``.

    Examples
    --------
    >>> abs(float(tempered_loss(jnp.array([1e30, -1e30]), jnp.array(0), 0.8, 2.0)))
    0.0
    """
    return _loss("tempered", logits, labels, t1, t2, label_smoothing)


def bi_tempered_loss(logits: Any, labels: Any, t1: float = 0.8, t2: float = 1.2, *,
                     label_smoothing: float = 0.0) -> Any:
    """The bi-tempered loss of each row.

    Examples
    --------
    >>> round(float(bi_tempered_loss(jnp.array([0.0, 0.0]), jnp.array(0), 1.0, 1.0)), 4)
    0.6931
    """
    return _loss("bi-tempered", logits, labels, t1, t2, label_smoothing)
