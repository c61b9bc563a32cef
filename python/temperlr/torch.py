"""The losses for neural networks in PyTorch: on logits, in the place of ``torch.nn.CrossEntropyLoss``.

Two families, each with a temperature ``t1`` that bounds the loss of a row (t1 < 1) and a temperature ``t2`` of the
probabilities (t2 > 1: heavy tails). With y the label as a distribution and p = ``tempered_softmax(logits, t2)``:

* :class:`TemperedLoss`, the two-temperature loss: Tsallis' divergence, ``(1 - sum(y**t1 * p**(1 - t1))) / (1 - t1)``,
  which is ``-log_t1(p[label])`` for a hard label.
* :class:`BiTemperedLoss`, the bi-tempered loss, a Bregman divergence: ``sum(y * (log_t1(y) - log_t1(p))) -
  sum(y**(2 - t1) - p**(2 - t1)) / (2 - t1)``.

Both are cross-entropy at t1 = t2 = 1, less the entropy of soft labels. Training needs t1 <= t2: elsewhere gradients are
not bounded. Gradients are formulas, not iterations that are differentiated, also where they are differentiated again.
On the processor, float32 and float64 are computed by the vector kernels of the library, on as many threads as PyTorch
uses; elsewhere, and under ``torch.compile``, ``torch.func`` and tracing, by tensor operations alone, without
synchronisation. Half and bfloat16 are computed in float32, and under autocast the loss is float32.

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

from . import _temper

__all__ = ["BiTemperedLoss", "BinaryTemperedLoss", "TemperedLoss", "bi_tempered_loss", "binary_tempered_loss",
           "tempered_loss", "tempered_softmax"]

# Newton's method on a function that is linear where all logits are equal; 7 steps reach rounding for every t > 0.
_STEPS = 8
_REDUCTIONS = ("mean", "sum", "none")
# Above these the kernels compute row by row, or not at all.
_KERNEL_T2, _KERNEL_BREGMAN_T1 = 8.0, 2.0
# Present in every version that is supported; without them tensor operations are used.
_transforms_active = getattr(torch._C, "_are_functorch_transforms_active", lambda: True)
_dispatch_modes = getattr(torch._C, "_len_torch_dispatch_stack", lambda: 1)


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


def _exp_power(log_p: Tensor, exponent: float) -> Tensor:
    """p**exponent, 0 where p is 0; its derivative is finite there too."""
    inside = log_p > -math.inf
    return torch.where(inside, torch.exp(exponent * torch.where(inside, log_p, 0.0)), 0.0)


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
        # With u = 1 + (t - 1)(g - a): p = u**(1 / (1 - t)), and p**t = p / u.
        z = (t - 1) * (g - a)
        z = z.clamp(min=-1) if t < 1 else z
        p = torch.exp(torch.log1p(z) / (1 - t))
        powers = torch.where(z > -1, p / (1 + z), 0.0) if t < 1 else p / (1 + z)
        total = p.sum(dim=-1, keepdim=True)
        g = g + _log_t(total.log(), t) * total**t / powers.sum(dim=-1, keepdim=True)
    return _log_exp_t(a - g, t)


def _escort(log_p: Tensor, t: float) -> Tensor:
    """p**t / sum(p**t)."""
    powers = _exp_power(log_p, t)
    return powers / powers.sum(dim=-1, keepdim=True)


def _wide_type(dtype: torch.dtype) -> torch.dtype:
    """The type that is computed in."""
    if not dtype.is_floating_point:
        raise TypeError(f"logits have to be floating-point numbers, and are {dtype}")
    return torch.float32 if dtype.itemsize < 4 else dtype


class _LogProbabilities(torch.autograd.Function):
    """log p in the wide type. d log p_i / d a_j = p_i**(t - 1) (1[i = j] - q_j), q the escort of p: written with the
    result, so that it can be differentiated any number of times."""

    generate_vmap_rule = True

    @staticmethod
    def forward(logits: Tensor, t: float) -> Tensor:
        return _log_probabilities(logits.to(_wide_type(logits.dtype)), t)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Tensor) -> None:
        ctx.save_for_backward(output)
        ctx.t, ctx.dtype = inputs[1], inputs[0].dtype

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor, None]:
        (log_p,) = ctx.saved_tensors
        weighted = slopes[0] * _exp_power(log_p, ctx.t - 1)
        gradient = weighted - _escort(log_p, ctx.t) * weighted.sum(dim=-1, keepdim=True)
        return gradient.to(ctx.dtype), None


class _LogProbabilitiesBothModes(_LogProbabilities):
    """With forward-mode derivatives, which torch.compile does not take."""

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Tensor) -> None:
        _LogProbabilities.setup_context(ctx, inputs, output)
        ctx.save_for_forward(output)

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Tensor:
        (log_p,) = ctx.saved_tensors
        change = tangents[0].to(log_p.dtype)
        mean = (_escort(log_p, ctx.t) * change).sum(dim=-1, keepdim=True)
        return _exp_power(log_p, ctx.t - 1) * (change - mean)


def _log_softmax(logits: Tensor, t: float) -> Tensor:
    function = _LogProbabilities if torch.compiler.is_compiling() else _LogProbabilitiesBothModes
    log_p: Tensor = function.apply(logits, t)
    return log_p


def tempered_softmax(logits: Tensor, t: float, dim: int = -1) -> Tensor:
    """``exp_t(a - G_t(a))`` along ``dim``: softmax at t = 1, heavy tails above, zeros below. The probabilities that the
    losses see: ``tempered_softmax(logits, t2)``.

    Examples
    --------
    >>> tempered_softmax(torch.tensor([1.0, 0.0, -3.0]), 0.0)
    tensor([1., 0., 0.])
    """
    _check(1, t)
    log_p = _log_softmax(logits.movedim(dim, -1), t)
    return log_p.exp().to(logits.dtype).movedim(-1, dim)


# ---- Losses by tensor operations: the class is the last axis -------------------------------------------


def _tempered(log_p: Tensor, y: Tensor, t1: float, t2: float) -> tuple[Tensor, Tensor]:
    """Tsallis' divergence of y from p, and its gradient by the activations."""
    log_y = y.clamp(min=torch.finfo(y.dtype).tiny).log()
    # y**t1 * p**(1 - t1) = y * (p / y)**(1 - t1), so that a sum of y * log_t1(p / y).
    losses = -torch.where(y > 0, y * _log_t(log_p - log_y, t1), 0.0).sum(dim=-1)
    pull = _power(y, t1)
    if t2 != t1:
        pull = torch.where(y > 0, pull * _exp_power(log_p, t2 - t1), 0.0)
    return losses, _escort(log_p, t2) * pull.sum(dim=-1, keepdim=True) - pull


def _bi_tempered(log_p: Tensor, y: Tensor, t1: float, t2: float) -> tuple[Tensor, Tensor]:
    """The Bregman divergence, and its gradient by the activations."""
    log_y = y.clamp(min=torch.finfo(y.dtype).tiny).log()
    first = torch.where(y > 0, y * (_log_t(log_y, t1) - _log_t(log_p, t1)), 0.0).sum(dim=-1)
    if t1 == 2:
        # The limit of (y**(2 - t1) - p**(2 - t1)) / (2 - t1), which is finite for y, p > 0 alone.
        second = (log_y - log_p).sum(dim=-1)
    else:
        second = (_power(y, 2 - t1) - torch.exp((2 - t1) * log_p)).sum(dim=-1) / (2 - t1)
    # (p - y) p**(t2 - t1)
    pull = _exp_power(log_p, 1 + t2 - t1) - torch.where(y > 0, y * _exp_power(log_p, t2 - t1), 0.0)
    return first - second, pull - _escort(log_p, t2) * pull.sum(dim=-1, keepdim=True)


_FAMILIES = {"tempered": _tempered, "bi-tempered": _bi_tempered}
_KERNELS = {"tempered": "tempered", "bi-tempered": "bregman"}


def _gradient_again(logits: Tensor, y: Tensor, family: str, t1: float, t2: float) -> Tensor:
    """The gradient as a function that can be differentiated."""
    gradient = _FAMILIES[family](_log_softmax(logits, t2), y, t1, t2)[1]
    return gradient.to(logits.dtype)


class _Loss(torch.autograd.Function):
    """Losses of rows; the gradient is computed with them, as most of the work is common."""

    generate_vmap_rule = True

    @staticmethod
    def forward(logits: Tensor, y: Tensor, family: str, t1: float, t2: float) -> tuple[Tensor, Tensor]:
        log_p = _log_probabilities(logits.to(_wide_type(logits.dtype)), t2)
        return _FAMILIES[family](log_p, y, t1, t2)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        logits, y, *ctx.arguments = inputs
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(logits, y, output[1])

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor | None, ...]:
        logits, y, gradient = ctx.saved_tensors
        if torch.is_grad_enabled():  # it will be differentiated again
            gradient = _gradient_again(logits, y, *ctx.arguments)
        return (slopes[0].unsqueeze(-1) * gradient).to(logits.dtype), None, None, None, None


class _LossBothModes(_Loss):
    """With forward-mode derivatives, which torch.compile does not take."""

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        _Loss.setup_context(ctx, inputs, output)
        ctx.save_for_forward(output[1])

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> tuple[Tensor, None]:
        (gradient,) = ctx.saved_tensors
        return (gradient * tangents[0].to(gradient.dtype)).sum(dim=-1), None


def _tensor_loss(logits: Tensor, y: Tensor, family: str, t1: float, t2: float) -> Tensor:
    function = _Loss if torch.compiler.is_compiling() else _LossBothModes
    losses: Tensor = function.apply(logits, y, family, t1, t2)[0]
    return losses


# ---- Losses by the kernels of the library --------------------------------------------------------------


def _is_eager(tensor: Tensor) -> bool:
    """Whether the numbers are in the memory of this process now: not traced, transformed or elsewhere."""
    return (type(tensor) in (Tensor, nn.Parameter) and tensor.device.type == "cpu"
            and not torch.compiler.is_compiling() and not torch.jit.is_tracing()
            and not _transforms_active() and _dispatch_modes() == 0)


def _has_kernel(logits: Tensor, target: Tensor, family: str, t1: float, t2: float) -> bool:
    return (logits.dtype in (torch.float32, torch.float64) and logits.layout == torch.strided and t2 <= _KERNEL_T2
            and (family == "tempered" or t1 < _KERNEL_BREGMAN_T1) and _is_eager(logits) and _is_eager(target)
            and torch.autograd.forward_ad._current_level < 0)


class _KernelLoss(torch.autograd.Function):
    """Losses of rows, of numbers of classes or distributions; the gradient is computed with them."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, target: Tensor, family: str, settings: tuple[float, float, float],
                ignored: int, found: list[Any]) -> Tensor:
        rows, soft = logits.detach().contiguous(), target.is_floating_point()
        target = target.detach().to(rows.dtype if soft else torch.int64).contiguous()
        losses = rows.new_empty(rows.shape[:-1])
        gradient = torch.empty_like(rows) if ctx.needs_input_grad[0] else None
        labels = target.numpy()
        found[:] = _temper.loss_rows(rows.numpy(), rows.shape[-1], None if soft else labels, labels if soft else None,
                                     _KERNELS[family], settings, ignored, torch.get_num_threads(), losses.numpy(),
                                     None if gradient is None else gradient.numpy())
        ctx.save_for_backward(logits, target, gradient)
        ctx.family, ctx.settings, ctx.ignored = family, settings, ignored
        return losses

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor | None, ...]:
        logits, target, gradient = ctx.saved_tensors
        if torch.is_grad_enabled():  # it will be differentiated again
            left_out = None if target.is_floating_point() else target == ctx.ignored
            y = _distribution(target, logits.shape[-1], ctx.settings[2], left_out, logits.dtype)
            gradient = _gradient_again(logits, y, ctx.family, *ctx.settings[:2])
            if left_out is not None:
                gradient = gradient.masked_fill(left_out.unsqueeze(-1), 0.0)
        return slopes[0].unsqueeze(-1) * gradient, None, None, None, None, None


# ---- Labels, weights, reductions -----------------------------------------------------------------------


def _distribution(target: Tensor, classes: int, smoothing: float, ignored: Tensor | None, dtype: torch.dtype) -> Tensor:
    """Labels as distributions over the classes, smoothed."""
    if target.is_floating_point():
        y = target.to(dtype)
    else:
        numbers = target if ignored is None else torch.where(ignored, torch.zeros_like(target), target)
        # Not one_hot, which looks at the numbers.
        y = torch.zeros((*numbers.shape, classes), dtype=dtype, device=target.device)
        y = y.scatter(-1, numbers.long().unsqueeze(-1), 1.0)
    return y if smoothing == 0 else (1 - smoothing) * y + smoothing / classes


def _row_weights(target: Tensor, weight: Tensor | None, ignored: Tensor | None, like: Tensor) -> Tensor | None:
    """Of class weights: that of the label, or the mean over a soft one; 0 for what is ignored."""
    if weight is None:
        return None if ignored is None else (~ignored).to(like)
    weight = weight.to(like)
    if target.is_floating_point():
        return (target.to(like) * weight).sum(dim=-1)
    if ignored is None:
        return weight[target]
    return torch.where(ignored, 0.0, weight[torch.where(ignored, torch.zeros_like(target), target)])


def _reduce(losses: Tensor, weights: Tensor | None, reduction: str, dtype: torch.dtype) -> Tensor:
    """As CrossEntropyLoss: a mean is weighted."""
    if weights is not None:
        losses = losses * weights
    if reduction == "none":
        return losses.to(dtype)
    if reduction == "sum":
        return losses.sum().to(dtype)
    return (losses.mean() if weights is None else losses.sum() / weights.sum()).to(dtype)


def _result_type(logits: Tensor) -> torch.dtype:
    """Of the loss: that of the logits, but under autocast float32 at least, as of cross_entropy."""
    device = logits.device.type
    autocast = torch.amp.is_autocast_available(device) and torch.is_autocast_enabled(device)
    return _wide_type(logits.dtype) if autocast else logits.dtype


def _check_shapes(logits: Tensor, target: Tensor, weight: Tensor | None) -> None:
    rows = logits.shape if target.is_floating_point() else logits.shape[:-1]
    if target.shape != rows:
        raise ValueError(f"logits of shape {tuple(logits.shape)} need a target of shape {tuple(logits.shape[:-1])} "
                         f"(numbers of classes) or the same (probabilities), and it is {tuple(target.shape)}; the "
                         "classes are the last axis of these shapes")
    if target.is_complex() or (weight is not None and weight.shape != logits.shape[-1:]):
        raise ValueError(f"{logits.shape[-1]} classes need as many class weights, of shape ({logits.shape[-1]},), and "
                         "a target of real numbers")
    if target.requires_grad:
        raise ValueError("the loss has no gradient by the target; give target.detach()")


def _check_labels(target: Tensor, classes: int, ignore_index: int) -> None:
    """Where it costs no synchronisation; on other devices the numbers are checked by the operations that use them."""
    if target.is_floating_point() or not _is_eager(target) or target.numel() == 0:
        return
    wrong = ((target < 0) | (target >= classes)) & (target != ignore_index)
    if bool(wrong.any()):
        raise ValueError(f"label {int(target[wrong][0])} is none of the {classes} classes")


def _kernel_loss(family: str, logits: Tensor, target: Tensor, settings: tuple[float, float, float],
                 ignore_index: int) -> tuple[Tensor, int] | None:
    """Losses of rows and how many are ignored; None where the kernels cannot compute them."""
    if not _has_kernel(logits, target, family, settings[0], settings[1]):
        return None
    found: list[Any] = []
    losses = _KernelLoss.apply(logits, target, family, settings, ignore_index, found)
    return (losses, found[1]) if found[0] else None  # infinite logits have other limits there


def _loss(family: str, logits: Tensor, target: Tensor, t1: float, t2: float, weight: Tensor | None, ignore_index: int,
          reduction: str, smoothing: float) -> Tensor:
    _check(t1, t2, reduction, smoothing)
    wide, dtype = _wide_type(logits.dtype), _result_type(logits)
    if logits.ndim > 2:
        logits = logits.movedim(1, -1)
        target = target.movedim(1, -1) if target.is_floating_point() else target
    _check_shapes(logits, target, weight)
    ignored = None
    fast = _kernel_loss(family, logits, target, (t1, t2, smoothing), ignore_index)
    if fast is not None:
        losses, count = fast
        ignored = target == ignore_index if count else None
    else:
        _check_labels(target, logits.shape[-1], ignore_index)
        ignored = None if target.is_floating_point() else target == ignore_index
        y = _distribution(target, logits.shape[-1], smoothing, ignored, wide)
        losses = _tensor_loss(logits, y, family, t1, t2)
    return _reduce(losses, _row_weights(target, weight, ignored, losses), reduction, dtype)


def tempered_loss(logits: Tensor, target: Tensor, t1: float = 0.8, t2: float = 1.2, *, weight: Tensor | None = None,
                  ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0) -> Tensor:
    """The two-temperature loss. Arguments are those of ``torch.nn.functional.cross_entropy``: ``logits`` of shape (C,),
    (N, C) or (N, C, ...), ``target`` numbers of classes, or probabilities in the shape of the logits. A class weight
    multiplies the losses of the rows with that label; of soft labels, the mean of the weights does.

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
                         weight: Tensor | None = None, pos_weight: Tensor | None = None, reduction: str = "mean",
                         label_smoothing: float = 0.0) -> Tensor:
    """Either loss of two classes with one logit a for each row, in the place of
    ``binary_cross_entropy_with_logits``: the activations are [-a/2, a/2]. ``target`` has the shape of ``logits``: 0, 1
    or probabilities of class 1; ``weight`` multiplies the losses, ``pos_weight`` those of class 1. ``loss`` is
    "tempered" or "bi-tempered".

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
    if target.requires_grad:
        raise ValueError("the loss has no gradient by the target; give target.detach()")
    half = logits.to(_wide_type(logits.dtype)) / 2
    y = target.to(half.dtype)
    both, rows = torch.stack([1 - y, y], dim=-1), torch.stack([-half, half], dim=-1)
    fast = _kernel_loss(loss, rows, both, (t1, t2, label_smoothing), 0)
    if fast is not None:
        losses = fast[0]
    else:
        losses = _tensor_loss(rows, _distribution(both, 2, label_smoothing, None, half.dtype), loss, t1, t2)
    if pos_weight is not None:
        losses = losses * (1 + (pos_weight.to(losses) - 1) * y)
    if weight is not None:
        losses = losses * weight.to(losses)
    return _reduce(losses, None, reduction, _result_type(logits))


# ---- Modules -------------------------------------------------------------------------------------------


def _settings(module: Any, names: dict[str, Any]) -> str:
    """The temperatures, and what is not as it is by default."""
    others = [f"{name}={getattr(module, name)!r}" for name, usual in names.items() if getattr(module, name) != usual]
    return ", ".join([f"t1={module.t1}", f"t2={module.t2}", *others])


class TemperedLoss(nn.Module):
    """:func:`tempered_loss` as a module, in the place of ``CrossEntropyLoss``.

    Examples
    --------
    >>> TemperedLoss(0.5, 1.5, label_smoothing=0.1)
    TemperedLoss(t1=0.5, t2=1.5, label_smoothing=0.1)
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
        """The temperatures, and other arguments that were given."""
        weight = "" if self.weight is None else f", weight of {len(self.weight)} classes"
        return _settings(self, {"ignore_index": -100, "reduction": "mean", "label_smoothing": 0.0}) + weight


class BiTemperedLoss(TemperedLoss):
    """:func:`bi_tempered_loss` as a module."""

    family = "bi-tempered"


class BinaryTemperedLoss(nn.Module):
    """:func:`binary_tempered_loss` as a module, in the place of ``BCEWithLogitsLoss``."""

    weight: Tensor | None
    pos_weight: Tensor | None

    def __init__(self, t1: float = 0.8, t2: float = 1.2, *, loss: str = "tempered", weight: Tensor | None = None,
                 pos_weight: Tensor | None = None, reduction: str = "mean", label_smoothing: float = 0.0) -> None:
        super().__init__()
        _check(t1, t2, reduction, label_smoothing)
        if loss not in _FAMILIES:
            raise ValueError(f"loss has to be one of {', '.join(_FAMILIES)}, and is {loss!r}")
        self.t1, self.t2, self.loss = t1, t2, loss
        self.reduction, self.label_smoothing = reduction, label_smoothing
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, logits: Tensor, target: Tensor) -> Tensor:
        """The loss of a batch."""
        return binary_tempered_loss(logits, target, self.t1, self.t2, loss=self.loss, weight=self.weight,
                                    pos_weight=self.pos_weight, reduction=self.reduction,
                                    label_smoothing=self.label_smoothing)

    def probabilities(self, logits: Tensor) -> Tensor:
        """Of class 1, as the loss sees them."""
        half = logits.to(_wide_type(logits.dtype)) / 2
        return tempered_softmax(torch.stack([-half, half], dim=-1), self.t2)[..., 1].to(logits.dtype)

    def extra_repr(self) -> str:
        """The temperatures, and other arguments that were given."""
        return _settings(self, {"loss": "tempered", "reduction": "mean", "label_smoothing": 0.0})
