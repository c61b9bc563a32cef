"""temperlr.torch: values and gradients against many digits, types, extremes, and what CrossEntropyLoss does."""
import doctest

import numpy as np
import pytest

try:
    import mpmath  # noqa: F401
    import torch
    from network_reference import CASES, bi_tempered, tempered, value_and_gradient

    import temperlr.torch as networks
except ImportError:
    torch, CASES = None, [(0.8, 1.2)]

pytestmark = pytest.mark.skipif(torch is None, reason="needs torch and mpmath: make python-long")

HARD, SOFT = [0.0, 1.0, 0.0, 0.0], [0.1, 0.6, 0.0, 0.3]
ROW = [0.5, -1.25, 2.0, 0.0]  # exact in every type


def losses():
    return [(networks.tempered_loss, tempered), (networks.bi_tempered_loss, bi_tempered)]


@pytest.mark.parametrize("t1, t2", CASES)
@pytest.mark.parametrize("y", [HARD, SOFT], ids=["hard", "soft"])
def test_many_digits(t1, t2, y):
    """Half precision has three digits, bfloat16 two or three."""
    bounds = {torch.float64: 1e-12, torch.float32: 3e-6, torch.float16: 2e-3, torch.bfloat16: 2e-2}
    for ours, exact in losses():
        value, gradient = value_and_gradient(exact, ROW, y, t1, t2)
        for dtype, bound in bounds.items():
            logits = torch.tensor([ROW], dtype=dtype, requires_grad=True)
            target = torch.tensor([1]) if y is HARD else torch.tensor([y], dtype=dtype)
            if y is SOFT and dtype in (torch.float16, torch.bfloat16):
                target = target.to(torch.float32).copy_(torch.tensor([y]))
            loss = ours(logits, target, t1, t2)
            loss.backward()
            assert loss.dtype == logits.grad.dtype == dtype
            assert abs(loss.item() - value) <= bound * (1 + abs(value))
            np.testing.assert_allclose(logits.grad[0].double(), gradient, atol=bound)


@pytest.mark.parametrize("t1, t2", CASES)
def test_finite_differences(t1, t2):
    rng = torch.Generator().manual_seed(1)
    logits = torch.randn(4, 5, dtype=torch.float64, generator=rng, requires_grad=True)
    soft = torch.softmax(torch.randn(4, 5, dtype=torch.float64, generator=rng), -1)
    for ours, _ in losses():
        for target in (torch.tensor([0, 4, 2, 2]), soft):
            assert torch.autograd.gradcheck(lambda a: ours(a, target, t1, t2, label_smoothing=0.1), logits)
    assert torch.autograd.gradcheck(lambda a: networks.tempered_softmax(a, t2, dim=0), logits)


@pytest.mark.parametrize("t1, t2", [(0.8, 2.0), (1.0, 1.0), (0.5, 1.0), (0.0, 4.0), (0.2, 0.5), (0.8, 1.2)])
def test_no_nan_at_extremes(t1, t2):
    infinite = float("inf")
    rows = [[1e30, -1e30, 0.0], [-1e30, 1e30, 1e30], [3e38, -3e38, 1.0], [infinite, 0.0, -infinite], [0.0, 0.0, 0.0]]
    for ours, _ in losses():
        for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
            for label in range(3):
                logits = torch.tensor(rows).to(dtype).requires_grad_()
                value = ours(logits, torch.full((5,), label), t1, t2, reduction="none")
                value.sum().backward()
                assert not value.isnan().any() and logits.grad.isfinite().all()
                if t1 < 1:
                    assert (value.double() <= 1 / (1 - t1) + 1e-2).all()


def test_cross_entropy_at_one():
    rng = torch.Generator().manual_seed(2)
    logits, weight = torch.randn(6, 4, generator=rng, dtype=torch.float64), torch.tensor([1.0, 2.0, 0.5, 3.0]).double()
    target = torch.tensor([0, 3, -100, 2, 1, -100])
    for ours, _ in losses():
        for reduction in ("mean", "sum", "none"):
            keywords = {"weight": weight, "reduction": reduction}
            theirs = torch.nn.functional.cross_entropy(logits, target, **keywords)
            torch.testing.assert_close(ours(logits, target, 1.0, 1.0, **keywords), theirs)


def test_smoothing_has_the_gradient_of_cross_entropy_at_one():
    """Their values differ by the entropy of the labels."""
    for ours, _ in losses():
        slopes = []
        for loss in (lambda a, y: ours(a, y, 1.0, 1.0, label_smoothing=0.2),
                     lambda a, y: torch.nn.functional.cross_entropy(a, y, label_smoothing=0.2)):
            logits = torch.tensor([ROW, ROW], dtype=torch.float64, requires_grad=True)
            loss(logits, torch.tensor([1, 3])).backward()
            slopes.append(logits.grad)
        torch.testing.assert_close(*slopes)


def test_classes_are_the_second_axis():
    logits = torch.randn(2, 3, 4, 5, generator=torch.Generator().manual_seed(3))
    target = torch.randint(0, 3, (2, 4, 5), generator=torch.Generator().manual_seed(4))
    flat = networks.tempered_loss(logits.movedim(1, -1).reshape(-1, 3), target.reshape(-1))
    torch.testing.assert_close(networks.tempered_loss(logits, target), flat)
    module = networks.TemperedLoss(weight=torch.ones(3))
    torch.testing.assert_close(module(logits, target), flat)
    torch.testing.assert_close(module.probabilities(logits).sum(1), torch.ones(2, 4, 5))


@pytest.mark.parametrize("kind", ["tempered", "bi-tempered"])
def test_one_logit_is_two_halves(kind):
    a, y = torch.tensor([3.0, -0.5, 0.0]), torch.tensor([1, 0, 1])
    both = {"tempered": networks.tempered_loss, "bi-tempered": networks.bi_tempered_loss}[kind]
    two = both(torch.stack([-a / 2, a / 2], -1), y, 0.4, 1.3)
    torch.testing.assert_close(networks.binary_tempered_loss(a, y.float(), 0.4, 1.3, loss=kind), two)
    torch.testing.assert_close(networks.BinaryTemperedLoss(0.4, 1.3, loss=kind)(a, y.float()), two)


def test_compiled_without_breaks():
    logits, target = torch.randn(8, 5, generator=torch.Generator().manual_seed(5)), torch.arange(8) % 5
    compiled = torch.compile(networks.BiTemperedLoss(), backend="aot_eager", fullgraph=True)
    slopes = []
    for loss in (compiled, networks.BiTemperedLoss()):
        rows = logits.clone().requires_grad_()
        loss(rows, target).backward()
        slopes.append(rows.grad)
    torch.testing.assert_close(*slopes)


def test_what_is_wrong_is_named():
    logits = torch.zeros(2, 3)
    for wrong, message in [(lambda: networks.tempered_loss(logits, torch.zeros(3).long()), "need a target of shape"),
                           (lambda: networks.tempered_loss(logits, torch.tensor([0, 1]), -1.0), "t1 has to be a number"),
                           (lambda: networks.TemperedLoss(reduction="all"), "reduction has to be one of mean, sum, none"),
                           (lambda: networks.TemperedLoss(label_smoothing=2), "label_smoothing has to be between"),
                           (lambda: networks.binary_tempered_loss(logits, logits, loss="x"), "tempered, bi-tempered"),
                           (lambda: networks.binary_tempered_loss(logits, logits[0]), "target has the shape")]:
        with pytest.raises(ValueError, match=message):
            wrong()
    with pytest.raises(TypeError, match="floating-point"):
        networks.tempered_loss(logits.long(), torch.tensor([0, 1]))


def test_examples_of_the_docstrings():
    assert doctest.testmod(networks).failed == 0 < doctest.testmod(networks).attempted
