"""The losses for neural networks in PyTorch: on logits, in the place of ``torch.nn.CrossEntropyLoss``.

Two families, each with a temperature ``t1`` that bounds the loss of a row (t1 < 1) and a temperature ``t2`` of the
probabilities (t2 > 1: heavy tails). With y the label as a distribution and p = ``tempered_softmax(logits, t2)``:

* :class:`TemperedLoss`, the two-temperature loss: Tsallis' divergence, ``(1 - sum(y**t1 * p**(1 - t1))) / (1 - t1)``,
  which is ``-log_t1(p[label])`` for a hard label.
* :class:`BiTemperedLoss`, the bi-tempered loss, a Bregman divergence: ``sum(y * (log_t1(y) - log_t1(p))) -
  sum(y**(2 - t1) - p**(2 - t1)) / (2 - t1)``.

Both are cross-entropy at t1 = t2 = 1, less the entropy of soft labels. Training needs t1 <= t2: elsewhere gradients are
not bounded. Gradients are formulas, not iterations that are differentiated; tensor operations alone are used, so that
any device and ``torch.compile`` will do. Half and bfloat16 are computed in float32.

>>> import torch
>>> logits = torch.tensor([[2.0, -1.0, 0.0], [0.0, 3.0, 1.0]], requires_grad=True)
>>> loss = tempered_loss(logits, torch.tensor([0, 2]), t1=0.5, t2=1.2)
>>> loss.backward()
>>> bool(torch.isfinite(logits.grad).all())
True
"""
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn

__all__ = ["BiTemperedLoss", "BinaryTemperedLoss", "TemperedLoss", "bi_tempered_loss", "binary_tempered_loss",
           "tempered_loss", "tempered_softmax"]

# Newton's method on a function that is linear where all logits are equal; 7 steps reach rounding for every t > 0.
_STEPS = 8
_REDUCTIONS = ("mean", "sum", "none")


def _check(t1: float, t2: float, reduction: str = "none", smoothing: float = 0.0) -> None:
    for name, t in (("t1", t1), ("t2", t2)):
        if not (math.isfinite(t) and t >= 0):
            raise ValueError(f"{name} has to be a number, 0 or more, and is {t!r}")
    if reduction not in _REDUCTIONS:
        raise ValueError(f"reduction has to be one of {', '.join(_REDUCTIONS)}, and is {reduction!r}")
    if not 0 <= smoothing <= 1:
        raise ValueError(f"label_smoothing has to be between 0 and 1, and is {smoothing!r}")


# ---- Probabilities: the class is the last axis ---------------------------------------------------------


def _log_exp_t(x: Tensor, t: float) -> Tensor:
    """log(exp_t(x)) of x <= 0; -inf where exp_t is 0."""
    if t == 1:
        return x
    return torch.log1p(((1 - t) * x).clamp(min=-1)) / (1 - t)


def _log_t(log_x: Tensor, t: float) -> Tensor:
    """log_t of exp(log_x)."""
    return log_x if t == 1 else torch.expm1((1 - t) * log_x) / (1 - t)


def _power(p: Tensor, exponent: float) -> Tensor:
    """p**exponent, 0 where p is 0, whatever the exponent."""
    return torch.where(p > 0, p.clamp(min=torch.finfo(p.dtype).tiny) ** exponent, 0.0)


def _log_probabilities(a: Tensor, t: float) -> Tensor:
    """log p, p = exp_t(a - G): with S(G) the sum of exp_t(a - G), Newton's method for S**(1 - t) = 1. As a function of
    G that is a power mean, concave for t > 1 and convex for t < 1, so that no step from G = max a goes too far."""
    bound = torch.finfo(a.dtype).max / 4  # so that differences are finite
    a = a.clamp(-bound, bound)
    if t == 1:
        return torch.log_softmax(a, dim=-1)
    a = a - a.amax(dim=-1, keepdim=True)
    g = torch.zeros_like(a[..., :1])
    for _ in range(_STEPS if t > 0 else _STEPS + a.shape[-1]):
        p = _log_exp_t(a - g, t).exp()
        total = p.sum(dim=-1, keepdim=True)
        g = g + _log_t(total.log(), t) * total**t / _power(p, t).sum(dim=-1, keepdim=True)
    return _log_exp_t(a - g, t)


def _escort(p: Tensor, t: float) -> Tensor:
    """p**t / sum(p**t)."""
    powers = _power(p, t)
    return powers / powers.sum(dim=-1, keepdim=True)


def _wide(logits: Tensor) -> Tensor:
    """In a type that is computed in."""
    if not logits.is_floating_point():
        raise TypeError(f"logits have to be floating-point numbers, and are {logits.dtype}")
    return logits.float() if logits.dtype in (torch.float16, torch.bfloat16) else logits


class _Softmax(torch.autograd.Function):
    """p; dp_i/da_j = p_i**t (1[i = j] - q_j), q the escort of p."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, t: float) -> Tensor:
        p = _log_probabilities(_wide(logits), t).exp()
        ctx.save_for_backward(p)
        ctx.t, ctx.dtype = t, logits.dtype
        return p.to(logits.dtype)

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor, None]:
        (p,) = ctx.saved_tensors
        weighted = slopes[0].to(p.dtype) * _power(p, ctx.t)
        return (weighted - _escort(p, ctx.t) * weighted.sum(dim=-1, keepdim=True)).to(ctx.dtype), None


def tempered_softmax(logits: Tensor, t: float, dim: int = -1) -> Tensor:
    """``exp_t(a - G_t(a))`` along ``dim``: softmax at t = 1, heavy tails above, zeros below. The probabilities that the
    losses see: ``tempered_softmax(logits, t2)``.

    Examples
    --------
    >>> tempered_softmax(torch.tensor([1.0, 0.0, -3.0]), 0.0)
    tensor([1., 0., 0.])
    """
    _check(1, t)
    probabilities: Tensor = _Softmax.apply(logits.movedim(dim, -1), t)
    return probabilities.movedim(-1, dim)


# ---- Losses: the class is the last axis ----------------------------------------------------------------


def _tempered(log_p: Tensor, p: Tensor, y: Tensor, t1: float, t2: float) -> tuple[Tensor, Tensor]:
    """Tsallis' divergence of y from p, and its gradient by the activations."""
    if t1 == 1:
        losses = torch.where(y > 0, y * (y.clamp(min=torch.finfo(y.dtype).tiny).log() - log_p), 0.0).sum(dim=-1)
    else:
        # y**t1 * p**(1 - t1) = y * (p / y)**(1 - t1), so that a sum of y * log_t1(p / y).
        ratio = log_p - y.clamp(min=torch.finfo(y.dtype).tiny).log()
        losses = -torch.where(y > 0, y * _log_t(ratio, t1), 0.0).sum(dim=-1)
    pull = _power(y, t1)
    if t2 != t1:
        pull = torch.where(y > 0, pull * torch.exp((t2 - t1) * log_p), 0.0)
    return losses, _escort(p, t2) * pull.sum(dim=-1, keepdim=True) - pull


def _bi_tempered(log_p: Tensor, p: Tensor, y: Tensor, t1: float, t2: float) -> tuple[Tensor, Tensor]:
    """The Bregman divergence, and its gradient by the activations."""
    log_y = y.clamp(min=torch.finfo(y.dtype).tiny).log()
    first = torch.where(y > 0, y * (_log_t(log_y, t1) - _log_t(log_p, t1)), 0.0).sum(dim=-1)
    if t1 == 2:
        # The limit of (y**(2 - t1) - p**(2 - t1)) / (2 - t1), which is finite for y, p > 0 alone.
        second = (log_y - log_p).sum(dim=-1)
    else:
        second = (_power(y, 2 - t1) - torch.exp((2 - t1) * log_p)).sum(dim=-1) / (2 - t1)
    # (p - y) p**(t2 - t1); a label of 0 has p**(1 + t2 - t1), finite where p is 0.
    pull = torch.where(y > 0, (p - y) * torch.exp((t2 - t1) * log_p) if t2 != t1 else p - y,
                       torch.exp((1 + t2 - t1) * log_p))
    return first - second, pull - _escort(p, t2) * pull.sum(dim=-1, keepdim=True)


_FAMILIES = {"tempered": _tempered, "bi-tempered": _bi_tempered}


class _Loss(torch.autograd.Function):
    """Losses of rows; the gradient is computed with them, as most of the work is common."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, y: Tensor, family: str, t1: float, t2: float) -> Tensor:
        log_p = _log_probabilities(_wide(logits), t2)
        losses, gradient = _FAMILIES[family](log_p, log_p.exp(), y, t1, t2)
        ctx.save_for_backward(gradient)
        ctx.dtype = logits.dtype
        return losses

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor | None, ...]:
        (gradient,) = ctx.saved_tensors
        return (slopes[0].unsqueeze(-1) * gradient).to(ctx.dtype), None, None, None, None


def _distribution(target: Tensor, classes: int, smoothing: float, ignored: Tensor | None, dtype: torch.dtype) -> Tensor:
    """Labels as distributions over the classes, smoothed."""
    if target.is_floating_point():
        y = target.to(dtype)
    else:
        numbers = target if ignored is None else torch.where(ignored, torch.zeros_like(target), target)
        y = nn.functional.one_hot(numbers.long(), classes).to(dtype)
    return y if smoothing == 0 else (1 - smoothing) * y + smoothing / classes


def _reduce(losses: Tensor, weights: Tensor | None, reduction: str, dtype: torch.dtype) -> Tensor:
    """As CrossEntropyLoss: a mean is weighted."""
    if weights is not None:
        losses = losses * weights
    if reduction == "none":
        return losses.to(dtype)
    if reduction == "sum":
        return losses.sum().to(dtype)
    return (losses.sum() / (weights.sum() if weights is not None else losses.numel())).to(dtype)


def _row_weights(y: Tensor, target: Tensor, weight: Tensor | None, ignored: Tensor | None) -> Tensor | None:
    """Of class weights: that of the label, or the mean over a soft one; 0 for what is ignored."""
    if weight is None and ignored is None:
        return None
    if weight is None:
        rows = torch.ones(target.shape, dtype=y.dtype, device=y.device)
    elif target.is_floating_point():
        rows = (y * weight.to(y)).sum(dim=-1)
    else:
        rows = weight.to(y)[target if ignored is None else torch.where(ignored, torch.zeros_like(target), target)]
    return rows if ignored is None else torch.where(ignored, torch.zeros_like(rows), rows)


def _loss(family: str, logits: Tensor, target: Tensor, t1: float, t2: float, weight: Tensor | None, ignore_index: int,
          reduction: str, smoothing: float) -> Tensor:
    _check(t1, t2, reduction, smoothing)
    if logits.ndim > 2:
        logits = logits.movedim(1, -1)
        target = target.movedim(1, -1) if target.is_floating_point() else target
    rows = logits.shape if target.is_floating_point() else logits.shape[:-1]
    if target.shape != rows:
        raise ValueError(f"logits of shape {tuple(logits.shape)} need a target of shape {tuple(logits.shape[:-1])} "
                         f"(numbers of classes) or the same (probabilities), and it is {tuple(target.shape)}")
    dtype = _wide(logits[..., :0]).dtype
    ignored = None if target.is_floating_point() or ignore_index >= 0 else target == ignore_index
    y = _distribution(target, logits.shape[-1], smoothing, ignored, dtype)
    losses = _Loss.apply(logits, y, family, t1, t2)
    return _reduce(losses, _row_weights(y, target, weight, ignored), reduction, logits.dtype)


def tempered_loss(logits: Tensor, target: Tensor, t1: float = 0.8, t2: float = 1.2, *, weight: Tensor | None = None,
                  ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0) -> Tensor:
    """The two-temperature loss. Arguments are those of ``torch.nn.functional.cross_entropy``: ``logits`` of shape (C,),
    (N, C) or (N, C, ...), ``target`` numbers of classes, or probabilities in the shape of the logits. ``ignore_index``
    has to be negative.

    Examples
    --------
    >>> tempered_loss(torch.tensor([[0.0, 0.0]]), torch.tensor([1]), 1.0, 1.0)
    tensor(0.6931)
    """
    return _loss("tempered", logits, target, t1, t2, weight, ignore_index, reduction, label_smoothing)


def bi_tempered_loss(logits: Tensor, target: Tensor, t1: float = 0.8, t2: float = 1.2, *, weight: Tensor | None = None,
                     ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0) -> Tensor:
    """The bi-tempered loss (Amid, Warmuth, Anil, Koren, NeurIPS 2019); arguments as of :func:`tempered_loss`.

    Examples
    --------
    >>> bi_tempered_loss(torch.tensor([[0.0, 0.0]]), torch.tensor([1]), 1.0, 1.0)
    tensor(0.6931)
    """
    return _loss("bi-tempered", logits, target, t1, t2, weight, ignore_index, reduction, label_smoothing)


def binary_tempered_loss(logits: Tensor, target: Tensor, t1: float = 0.8, t2: float = 1.2, *, loss: str = "tempered",
                         weight: Tensor | None = None, reduction: str = "mean", label_smoothing: float = 0.0) -> Tensor:
    """Either loss of two classes with one logit a for each row, in the place of
    ``binary_cross_entropy_with_logits``: the activations are [-a/2, a/2]. ``target`` has the shape of ``logits``: 0, 1
    or probabilities of class 1; ``weight`` as well. ``loss`` is "tempered" or "bi-tempered".

    Examples
    --------
    >>> binary_tempered_loss(torch.tensor([0.0]), torch.tensor([1.0]), 1.0, 1.0)
    tensor(0.6931)
    """
    _check(t1, t2, reduction, label_smoothing)
    if loss not in _FAMILIES:
        raise ValueError(f"loss has to be one of {', '.join(_FAMILIES)}, and is {loss!r}")
    if target.shape != logits.shape:
        raise ValueError(f"target has the shape {tuple(target.shape)}, and logits {tuple(logits.shape)}")
    half = _wide(logits) / 2
    y = target.to(half.dtype)
    y = _distribution(torch.stack([1 - y, y], dim=-1), 2, label_smoothing, None, half.dtype)
    losses = _Loss.apply(torch.stack([-half, half], dim=-1), y, loss, t1, t2)
    return _reduce(losses, None if weight is None else weight.to(losses), reduction, logits.dtype)


# ---- Modules -------------------------------------------------------------------------------------------


class TemperedLoss(nn.Module):
    """:func:`tempered_loss` as a module, in the place of ``CrossEntropyLoss``.

    Examples
    --------
    >>> TemperedLoss(0.5, 1.5)
    TemperedLoss(t1=0.5, t2=1.5)
    """

    family = "tempered"
    weight: Tensor | None

    def __init__(self, t1: float = 0.8, t2: float = 1.2, weight: Tensor | None = None, *, ignore_index: int = -100,
                 reduction: str = "mean", label_smoothing: float = 0.0) -> None:
        super().__init__()
        _check(t1, t2, reduction, label_smoothing)
        self.t1, self.t2, self.ignore_index = t1, t2, ignore_index
        self.reduction, self.label_smoothing = reduction, label_smoothing
        self.register_buffer("weight", weight)

    def forward(self, logits: Tensor, target: Tensor) -> Tensor:
        """The loss of a batch."""
        return _loss(self.family, logits, target, self.t1, self.t2, self.weight, self.ignore_index, self.reduction,
                     self.label_smoothing)

    def probabilities(self, logits: Tensor) -> Tensor:
        """What the loss takes the logits for, along the axis of classes."""
        return tempered_softmax(logits, self.t2, dim=1 if logits.ndim > 1 else 0)

    def extra_repr(self) -> str:
        """The temperatures."""
        return f"t1={self.t1}, t2={self.t2}"


class BiTemperedLoss(TemperedLoss):
    """:func:`bi_tempered_loss` as a module."""

    family = "bi-tempered"


class BinaryTemperedLoss(nn.Module):
    """:func:`binary_tempered_loss` as a module, in the place of ``BCEWithLogitsLoss``."""

    def __init__(self, t1: float = 0.8, t2: float = 1.2, *, loss: str = "tempered", reduction: str = "mean",
                 label_smoothing: float = 0.0) -> None:
        super().__init__()
        _check(t1, t2, reduction, label_smoothing)
        self.t1, self.t2, self.loss = t1, t2, loss
        self.reduction, self.label_smoothing = reduction, label_smoothing

    def forward(self, logits: Tensor, target: Tensor) -> Tensor:
        """The loss of a batch."""
        return binary_tempered_loss(logits, target, self.t1, self.t2, loss=self.loss, reduction=self.reduction,
                                    label_smoothing=self.label_smoothing)

    def extra_repr(self) -> str:
        """The temperatures."""
        return f"t1={self.t1}, t2={self.t2}, loss={self.loss!r}"
