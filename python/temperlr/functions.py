"""The paper's functions on arrays: exact for every temperature t >= 0, limits included."""
from __future__ import annotations

from typing import Any, Callable, Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from . import _temper
from ._params import threads_of

__all__ = ["bi_tempered_loss", "divergence", "entropy", "escort", "exp_t", "log_partition", "log_t",
           "probabilities", "tempered_loss"]


def _element_by_element(function: Callable[..., None], x: Any, t: Any) -> float | np.ndarray:
    """NumPy's rules of broadcasting; a number for numbers."""
    x, t = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(t, dtype=np.float64))
    out = np.empty(x.shape)
    function(np.ascontiguousarray(x), np.ascontiguousarray(t), out)
    return out if out.ndim else float(out)


def _rows(values: Any, name: str, dtype: Any = np.float64) -> np.ndarray:
    rows = np.asarray(values, dtype=dtype, order="C")
    if rows.ndim == 0 or rows.shape[-1] == 0:
        raise ValueError(f"{name} has to have at least one number along its last axis")
    return rows


def _row_by_row(function: Callable[..., None], values: Any, name: str, t: float,
                wide: bool) -> np.ndarray:
    rows = _rows(values, name)
    out = np.empty(rows.shape if wide else rows.shape[:-1])
    function(rows, rows.shape[-1], t, out)
    return out


def _or_number(out: np.ndarray) -> float | np.ndarray:
    return out if out.ndim else float(out)


@overload
def log_t(x: float, t: float) -> float: ...
@overload
def log_t(x: ArrayLike, t: ArrayLike) -> np.ndarray: ...
def log_t(x: ArrayLike, t: ArrayLike) -> float | np.ndarray:
    """The tempered logarithm, ``(x**(1 - t) - 1) / (1 - t)``; the logarithm at t = 1.

    Parameters
    ----------
    x : float or array
        Numbers, 0 or more.
    t : float or array
        Temperatures, 0 or more; both are broadcast.

    Returns
    -------
    float or ndarray
        A number for numbers.

    Examples
    --------
    >>> log_t(2.0, 1.0)
    0.6931471805599453
    >>> log_t([0.0, 1.0, 4.0], 0.5)
    array([-2.,  0.,  2.])
    """
    return _element_by_element(_temper.log_t, x, t)


@overload
def exp_t(x: float, t: float) -> float: ...
@overload
def exp_t(x: ArrayLike, t: ArrayLike) -> np.ndarray: ...
def exp_t(x: ArrayLike, t: ArrayLike) -> float | np.ndarray:
    """Its inverse, ``max(1 + (1 - t) * x, 0)**(1 / (1 - t))``; exp at t = 1.

    Parameters
    ----------
    x : float or array
        Any numbers.
    t : float or array
        Temperatures, 0 or more; both are broadcast.

    Returns
    -------
    float or ndarray
        A number for numbers.

    Examples
    --------
    >>> exp_t([-2.0, 0.0, 2.0], 0.5)
    array([0., 1., 4.])
    """
    return _element_by_element(_temper.exp_t, x, t)


def log_partition(activations: ArrayLike, t: float) -> float | np.ndarray:
    """G_t(a) over the last axis, so that ``exp_t(a - G_t(a))`` sums to 1; logsumexp at t = 1.

    Parameters
    ----------
    activations : array of shape (..., n_classes)
        One row of activations, or more.
    t : float
        The temperature, 0 or more.

    Returns
    -------
    float or ndarray of shape (...)

    Examples
    --------
    >>> round(log_partition([0.0, 0.0], 1.0), 6)
    0.693147
    """
    return _or_number(_row_by_row(_temper.log_partition, activations, "activations", t, wide=False))


def probabilities(activations: ArrayLike, t: float) -> np.ndarray:
    """``exp_t(a - G_t(a))`` over the last axis: softmax at t = 1, sparsemax at t = 0.

    Parameters
    ----------
    activations : array of shape (..., n_classes)
        One row of activations, or more.
    t : float
        The temperature, 0 or more.

    Returns
    -------
    ndarray of the shape of activations

    Examples
    --------
    >>> probabilities([1.0, 0.0, -3.0], 0.0)
    array([1., 0., 0.])
    """
    return _row_by_row(_temper.probabilities, activations, "activations", t, wide=True)


def escort(p: ArrayLike, t: float) -> np.ndarray:
    """``p**t / sum(p**t)`` over the last axis.

    Parameters
    ----------
    p : array of shape (..., n_classes)
        Probabilities, which sum to 1 along the last axis.
    t : float
        The temperature, 0 or more.

    Returns
    -------
    ndarray of the shape of p

    Examples
    --------
    >>> escort([0.8, 0.2], 0.5).round(6)
    array([0.666667, 0.333333])
    """
    return _row_by_row(_temper.escort, p, "p", t, wide=True)


def entropy(p: ArrayLike, t: float) -> float | np.ndarray:
    """Tsallis entropy over the last axis; Shannon's at t = 1.

    Parameters
    ----------
    p : array of shape (..., n_classes)
        Probabilities, which sum to 1 along the last axis.
    t : float
        The temperature, 0 or more.

    Returns
    -------
    float or ndarray of shape (...)

    Examples
    --------
    >>> round(entropy([0.5, 0.5], 1.0), 6)
    0.693147
    """
    return _or_number(_row_by_row(_temper.entropy, p, "p", t, wide=False))


def divergence(p: ArrayLike, q: ArrayLike, t: float) -> float | np.ndarray:
    """Tsallis divergence of p from q over the last axis; Kullback and Leibler's at t = 1.

    Parameters
    ----------
    p : array of shape (..., n_classes)
        Probabilities, which sum to 1 along the last axis.
    q : array of shape (..., n_classes)
        The same; both are broadcast.
    t : float
        The temperature, 0 or more.

    Returns
    -------
    float or ndarray of shape (...)

    Examples
    --------
    >>> divergence([0.5, 0.5], [0.5, 0.5], 1.5)
    0.0
    """
    p, q = np.broadcast_arrays(_rows(p, "p"), _rows(q, "q"))
    out = np.empty(p.shape[:-1])
    _temper.divergence(np.ascontiguousarray(p), np.ascontiguousarray(q), p.shape[-1], t, out)
    return out if out.ndim else float(out)


def _activations(values: ArrayLike) -> np.ndarray:
    """float32 and float64 as they are, all else as float64."""
    values = np.asarray(values)
    rows = np.ascontiguousarray(values, dtype=values.dtype if values.dtype == np.float32 else np.float64)
    return _rows(rows, "activations", rows.dtype)


def _loss_rows(activations: ArrayLike, labels: ArrayLike, parameters: tuple[float, float, float], loss: str,
               gradient: bool, n_jobs: int | None) -> float | np.ndarray | tuple[float | np.ndarray, np.ndarray]:
    rows, given = _activations(activations), np.asarray(labels)
    codes, targets = None, None
    if given.dtype.kind in "iub":
        codes = np.ascontiguousarray(np.broadcast_to(given, rows.shape[:-1]), dtype=np.int64)
    elif given.dtype.kind == "f" and given.shape == rows.shape:
        targets = np.ascontiguousarray(given, dtype=rows.dtype)
    else:
        raise ValueError("labels have to be numbers of classes, from 0, or probabilities in the shape of the activations")
    losses = np.empty(rows.shape[:-1], dtype=rows.dtype)
    slopes = np.empty_like(rows) if gradient else None
    # No number stands for a row that is left out: -1 is an error as any other.
    _temper.loss_rows(rows, rows.shape[-1], codes, targets, loss, parameters, np.iinfo(np.int64).min,
                      threads_of(n_jobs), losses, slopes)
    result: float | np.ndarray = losses if losses.ndim else float(losses)
    return result if slopes is None else (result, slopes)


@overload
def tempered_loss(activations: ArrayLike, labels: ArrayLike, t1: float = 0.3, t2: float = 1.0, *,
                  loss: str = "tempered", gradient: Literal[False] = False, label_smoothing: float = 0.0,
                  n_jobs: int | None = None) -> float | np.ndarray: ...
@overload
def tempered_loss(activations: ArrayLike, labels: ArrayLike, t1: float = 0.3, t2: float = 1.0, *,
                  loss: str = "tempered", gradient: Literal[True], label_smoothing: float = 0.0,
                  n_jobs: int | None = None) -> tuple[float | np.ndarray, np.ndarray]: ...
def tempered_loss(activations: ArrayLike, labels: ArrayLike, t1: float = 0.3, t2: float = 1.0, *, loss: str = "tempered",
                  gradient: bool = False, label_smoothing: float = 0.0,
                  n_jobs: int | None = None) -> float | np.ndarray | tuple[float | np.ndarray, np.ndarray]:
    """``-log_t1(exp_t2(a[label] - G_t2(a)))`` over the last axis of ``activations``.

    float32 is computed in float32, all else in float64, by vector kernels.

    Parameters
    ----------
    activations : array of shape (..., n_classes)
        One row of activations, or more.
    labels : int or array of shape (...)
        Numbers of classes, from 0; or probabilities in the shape of ``activations``.
    t1, t2 : float
        The temperatures.
    loss : str, default "tempered"
        Any that the estimator knows, with its parameters, "sce:0.1:1:-4", but for "trimmed" and "forward": these depend
        on the other rows of a training, and are refused.
    gradient : bool, default False
        Whether gradients are computed, too.
    label_smoothing : float, default 0
        The share of each label that all classes have alike.
    n_jobs : int, optional
        Threads; the result is the same, bit for bit.

    Returns
    -------
    float or ndarray of shape (...)
        The losses; with ``gradient`` a pair: losses, and their gradients by the activations.

    Examples
    --------
    >>> tempered_loss([[2.0, -1.0], [2.0, -1.0]], [0, 1]).round(6)
    array([0.04777 , 1.259483])
    >>> round(tempered_loss([0.0, 0.0], 0, 1.0, 1.0), 6)
    0.693147
    """
    return _loss_rows(activations, labels, (t1, t2, label_smoothing), loss, gradient, n_jobs)


@overload
def bi_tempered_loss(activations: ArrayLike, labels: ArrayLike, t1: float = 0.8, t2: float = 1.2, *,
                     gradient: Literal[False] = False, label_smoothing: float = 0.0,
                     n_jobs: int | None = None) -> float | np.ndarray: ...
@overload
def bi_tempered_loss(activations: ArrayLike, labels: ArrayLike, t1: float = 0.8, t2: float = 1.2, *,
                     gradient: Literal[True], label_smoothing: float = 0.0,
                     n_jobs: int | None = None) -> tuple[float | np.ndarray, np.ndarray]: ...
def bi_tempered_loss(activations: ArrayLike, labels: ArrayLike, t1: float = 0.8, t2: float = 1.2, *,
                     gradient: bool = False, label_smoothing: float = 0.0,
                     n_jobs: int | None = None) -> float | np.ndarray | tuple[float | np.ndarray, np.ndarray]:
    """The bi-tempered loss (Amid, Warmuth, Anil, Koren, NeurIPS 2019), a Bregman divergence, over the last axis of
    ``activations``.

    Parameters
    ----------
    activations : array of shape (..., n_classes)
        One row of activations, or more.
    labels : int or array of shape (...)
        Numbers of classes, from 0; or probabilities in the shape of ``activations``.
    t1, t2 : float
        The temperatures.
    gradient : bool, default False
        Whether gradients are computed, too.
    label_smoothing : float, default 0
        The share of each label that all classes have alike.
    n_jobs : int, optional
        Threads; the result is the same, bit for bit.

    Returns
    -------
    float or ndarray of shape (...)
        The losses; with ``gradient`` a pair: losses, and their gradients by the activations.

    Examples
    --------
    >>> round(bi_tempered_loss([0.0, 0.0], 0, 1.0, 1.0), 6)
    0.693147
    >>> losses, slopes = bi_tempered_loss([[2.0, -1.0]], [[0.9, 0.1]], gradient=True)
    >>> losses.shape, slopes.shape
    ((1,), (1, 2))
    """
    return _loss_rows(activations, labels, (t1, t2, label_smoothing), "bregman", gradient, n_jobs)
