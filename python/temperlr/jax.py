"""The losses of :mod:`temperlr.torch` in JAX; see there for the formulas. One number for each row, as Optax has them, or
their mean or sum.

Temperatures, smoothing and the reduction are Python values, not traced. Derivatives are formulas (``jax.custom_jvp``), of
any order and in both modes; bfloat16 and half are computed in float32; ``jit``, ``vmap`` and ``grad`` work, with and
without ``jax_enable_x64``.

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
from jax.custom_derivatives import SymbolicZero

__all__ = ["bi_tempered_loss", "binary_tempered_loss", "tempered_loss", "tempered_softmax"]

_STEPS = 8  # of Newton's method; 7 reach rounding for every t > 0
_REDUCTIONS = ("none", "mean", "sum")


def _check(t1: float, t2: float, smoothing: float = 0.0, reduction: str = "none") -> None:
    for name, t in (("t1", t1), ("t2", t2)):
        if not (math.isfinite(t) and t >= 0):
            raise ValueError(f"{name} has to be a number, 0 or more, and is {t!r}")
    if not 0 <= smoothing <= 1:
        raise ValueError(f"label_smoothing has to be between 0 and 1, and is {smoothing!r}")
    if reduction not in _REDUCTIONS:
        raise ValueError(f"reduction has to be one of {', '.join(_REDUCTIONS)}, and is {reduction!r}")


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


def _exp_power(log_p: Any, exponent: float) -> Any:
    """p**exponent, 0 where p is 0; its derivative is finite there too."""
    inside = log_p > -jnp.inf
    return jnp.where(inside, jnp.exp(exponent * jnp.where(inside, log_p, 0.0)), 0.0)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def _log_probabilities(a: Any, t: float) -> Any:
    """log p, p = exp_t(a - G), by Newton's method for (sum of p)**(1 - t) = 1 from G = max a; no step goes too far."""
    bound = float(jnp.finfo(a.dtype).max) / 4  # so that differences are finite
    a = jnp.clip(a, -bound, bound)
    if t == 1:
        return jax.nn.log_softmax(a, axis=-1)
    a = a - a.max(axis=-1, keepdims=True)

    def step(_: int, g: Any) -> Any:
        z = jnp.maximum((t - 1) * (g - a), -1)  # u - 1: p = u**(1 / (1 - t)), and p**t = p / u
        p = jnp.exp(jnp.log1p(z) / (1 - t))
        total, powers = p.sum(axis=-1, keepdims=True), jnp.where(z > -1, p / (1 + z), 0.0)
        return g + _log_t(jnp.log(total), t) * total**t / powers.sum(axis=-1, keepdims=True)

    g = jax.lax.fori_loop(0, _STEPS if t > 0 else _STEPS + a.shape[-1], step, jnp.zeros_like(a[..., :1]))
    return _log_exp_t(a - g, t)


def _escort(log_p: Any, t: float) -> Any:
    powers = _exp_power(log_p, t)
    return powers / powers.sum(axis=-1, keepdims=True)


def _wide(logits: Any) -> Any:
    logits = jnp.asarray(logits)
    if not jnp.issubdtype(logits.dtype, jnp.floating):
        raise TypeError(f"logits have to be floating-point numbers, and are {logits.dtype}")
    return logits.astype(jnp.float32) if logits.dtype.itemsize < 4 else logits


def _log_probabilities_jvp(t: float, primals: Any, tangents: Any) -> Any:
    """d log p_i = p_i**(t - 1) (da_i - sum(q da)), q the escort of p."""
    log_p, (change,) = _log_probabilities(primals[0], t), tangents
    mean = (_escort(log_p, t) * change).sum(axis=-1, keepdims=True)
    return log_p, _exp_power(log_p, t - 1) * (change - mean)


_log_probabilities.defjvp(_log_probabilities_jvp)


def tempered_softmax(logits: Any, t: float, axis: int = -1) -> Any:
    """``exp_t(a - G_t(a))`` along the axis.

    Examples
    --------
    >>> [round(float(p), 4) for p in tempered_softmax(jnp.array([1.0, 0.0, -3.0]), 0.0)]
    [1.0, 0.0, 0.0]
    """
    _check(1, t)
    a = jnp.moveaxis(_wide(logits), axis, -1)
    return jnp.moveaxis(jnp.exp(_log_probabilities(a, t)), -1, axis).astype(jnp.asarray(logits).dtype)


# ---- Losses --------------------------------------------------------------------------------------------


def _log_of_label(y: Any) -> Any:
    return jnp.log(jnp.maximum(y, jnp.finfo(y.dtype).tiny))


def _tempered(log_p: Any, y: Any, t1: float) -> Any:
    return -jnp.where(y > 0, y * _log_t(log_p - _log_of_label(y), t1), 0.0).sum(axis=-1)


def _tempered_gradient(log_p: Any, y: Any, t1: float, t2: float) -> Any:
    pull = _power(y, t1)
    if t2 != t1:
        pull = jnp.where(y > 0, pull * _exp_power(log_p, t2 - t1), 0.0)
    return _escort(log_p, t2) * pull.sum(axis=-1, keepdims=True) - pull


def _bi_tempered(log_p: Any, y: Any, t1: float) -> Any:
    log_y = _log_of_label(y)
    first = jnp.where(y > 0, y * (_log_t(log_y, t1) - _log_t(log_p, t1)), 0.0).sum(axis=-1)
    if t1 == 2:
        return first - (log_y - log_p).sum(axis=-1)  # the limit
    return first - (_power(y, 2 - t1) - jnp.exp((2 - t1) * log_p)).sum(axis=-1) / (2 - t1)


def _bi_tempered_gradient(log_p: Any, y: Any, t1: float, t2: float) -> Any:
    pull = _exp_power(log_p, 1 + t2 - t1) - jnp.where(y > 0, y * _exp_power(log_p, t2 - t1), 0.0)
    return pull - _escort(log_p, t2) * pull.sum(axis=-1, keepdims=True)


_FAMILIES = {"tempered": (_tempered, _tempered_gradient), "bi-tempered": (_bi_tempered, _bi_tempered_gradient)}


@functools.partial(jax.custom_jvp, nondiff_argnums=(2, 3, 4))
def _losses(a: Any, y: Any, family: str, t1: float, t2: float) -> Any:
    return _FAMILIES[family][0](_log_probabilities(a, t2), y, t1)


def _losses_jvp(family: str, t1: float, t2: float, primals: Any, tangents: Any) -> Any:
    """The gradient by the activations as a formula; by the labels, which few differentiate by, as JAX has it."""
    value, gradient = _FAMILIES[family]
    (a, y), (change, label_change) = primals, tangents
    log_p = _log_probabilities(a, t2)
    losses, tangent = value(log_p, y, t1), jnp.zeros(a.shape[:-1], a.dtype)
    if type(change) is not SymbolicZero:
        tangent = tangent + (gradient(log_p, y, t1, t2) * change).sum(axis=-1)
    if type(label_change) is not SymbolicZero:
        tangent = tangent + jax.jvp(lambda labels: value(log_p, labels, t1), (y,), (label_change,))[1]
    return losses, tangent


_losses.defjvp(_losses_jvp, symbolic_zeros=True)


def _reduce(losses: Any, weights: Any, reduction: str, dtype: Any) -> Any:
    """The mean is weighted, as PyTorch's is."""
    if weights is not None:
        losses = losses * weights
    if reduction == "none":
        return losses.astype(dtype)
    total = losses.sum()
    if reduction == "mean":
        total = total / (losses.size if weights is None else weights.sum())
    return total.astype(dtype)


def _distribution(a: Any, labels: Any) -> Any:
    """Labels as distributions in the shape of the activations."""
    if not jnp.issubdtype(labels.dtype, jnp.floating):
        if jnp.broadcast_shapes(labels.shape, a.shape[:-1]) != a.shape[:-1]:
            raise ValueError(f"labels of shape {labels.shape} are not numbers of classes for rows of shape "
                             f"{a.shape[:-1]}")
        return jnp.broadcast_to(jax.nn.one_hot(labels, a.shape[-1], dtype=a.dtype), a.shape)
    if labels.shape != a.shape:
        raise ValueError(f"labels that are probabilities need the shape of the logits, {a.shape}, and have "
                         f"{labels.shape}")
    return labels.astype(a.dtype)


def _loss(family: str, logits: Any, labels: Any, t1: float, t2: float, axis: int, weight: Any, smoothing: float,
          reduction: str) -> Any:
    _check(t1, t2, smoothing, reduction)
    a, labels = jnp.moveaxis(_wide(logits), axis, -1), jnp.asarray(labels)
    if jnp.issubdtype(labels.dtype, jnp.floating) and labels.ndim == a.ndim:
        labels = jnp.moveaxis(labels, axis, -1)
    y = _distribution(a, labels)
    weights = None if jnp.issubdtype(labels.dtype, jnp.floating) else y.sum(axis=-1)  # 0 for a number that is no class
    if weight is not None:
        weight = jnp.asarray(weight, a.dtype)
        if weight.shape != a.shape[-1:]:
            raise ValueError(f"{a.shape[-1]} classes need as many class weights, and the shape is {weight.shape}")
        weights = (y * weight).sum(axis=-1)
    if smoothing:
        y = (1 - smoothing) * y + smoothing / a.shape[-1]
    return _reduce(_losses(a, y, family, t1, t2), weights, reduction, jnp.asarray(logits).dtype)


def tempered_loss(logits: Any, labels: Any, t1: float = 0.8, t2: float = 1.2, *, axis: int = -1, weight: Any = None,
                  label_smoothing: float = 0.0, reduction: str = "none") -> Any:
    """The two-temperature loss of each row; ``labels`` are numbers of classes, or probabilities in the shape of
    ``logits``. ``weight`` has a number for each class, which multiplies the losses of its rows; ``reduction`` is
    "none", "mean" (weighted) or "sum". A row whose label is the number of no class, as -100, is left out.

    Examples
    --------
    >>> abs(float(tempered_loss(jnp.array([1e30, -1e30]), jnp.array(0), 0.8, 2.0)))
    0.0
    """
    return _loss("tempered", logits, labels, t1, t2, axis, weight, label_smoothing, reduction)


def bi_tempered_loss(logits: Any, labels: Any, t1: float = 0.8, t2: float = 1.2, *, axis: int = -1, weight: Any = None,
                     label_smoothing: float = 0.0, reduction: str = "none") -> Any:
    """The bi-tempered loss of each row; arguments as of :func:`tempered_loss`.

    Examples
    --------
    >>> round(float(bi_tempered_loss(jnp.array([0.0, 0.0]), jnp.array(0), 1.0, 1.0)), 4)
    0.6931
    """
    return _loss("bi-tempered", logits, labels, t1, t2, axis, weight, label_smoothing, reduction)


def binary_tempered_loss(logits: Any, labels: Any, t1: float = 0.8, t2: float = 1.2, *, loss: str = "tempered",
                         weight: Any = None, label_smoothing: float = 0.0, reduction: str = "none") -> Any:
    """Either loss of two classes with one logit for each row, as Optax' ``sigmoid_binary_cross_entropy``. ``labels`` are
    0, 1 or probabilities of class 1, ``weight`` two numbers, of class 0 and 1; ``loss`` is "tempered" or "bi-tempered".

    >>> round(float(binary_tempered_loss(jnp.array(0.0), jnp.array(1), 1.0, 1.0)), 4)
    0.6931
    """
    if loss not in _FAMILIES:
        raise ValueError(f"loss has to be one of {', '.join(_FAMILIES)}, and is {loss!r}")
    half = _wide(logits) / 2
    y = jnp.broadcast_to(jnp.asarray(labels).astype(half.dtype), half.shape)
    losses = _loss(loss, jnp.stack([-half, half], -1), jnp.stack([1 - y, y], -1), t1, t2, -1, weight, label_smoothing,
                   reduction)
    return losses.astype(jnp.asarray(logits).dtype)
