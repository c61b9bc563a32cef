"""temperlr.torch: values and gradients against many digits, types, extremes, and what CrossEntropyLoss does."""
import copy
import doctest
import pickle

import numpy as np
import pytest

try:
    import mpmath  # noqa: F401
    import torch
    from network_reference import CASES, bi_tempered, tempered, value_and_gradient
    from published_losses import published_bi_tempered

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


@pytest.fixture
def tensors_only(monkeypatch):
    """Losses by tensor operations, as on other devices."""
    monkeypatch.setattr(networks, "_has_kernel", lambda *_: False)


@pytest.mark.parametrize("t1, t2", CASES)
def test_many_digits_by_tensor_operations(t1, t2, tensors_only):
    test_many_digits(t1, t2, HARD)
    test_many_digits(t1, t2, SOFT)


def variants(dtype):
    """Arguments of all kinds, with logits of their shape."""
    rng = torch.Generator().manual_seed(7)
    hard = torch.randint(0, 6, (40,), generator=rng)
    soft = torch.softmax(torch.randn(40, 6, generator=rng, dtype=dtype), -1)
    weight = torch.rand(6, generator=rng, dtype=dtype)
    image = torch.randint(0, 6, (3, 4, 2), generator=rng)
    ignored = torch.where(hard == 3, torch.tensor(255), hard)
    for target, options in [(hard, {}), (hard, {"label_smoothing": 0.2}), (soft, {}), (soft, {"weight": weight}),
                            (hard, {"weight": weight, "reduction": "sum"}), (hard, {"reduction": "none"}),
                            (ignored, {"ignore_index": 255, "weight": weight}),
                            (ignored, {"ignore_index": 255, "reduction": "none", "label_smoothing": 0.1}),
                            (image, {}), (soft, {"label_smoothing": 0.3, "reduction": "none"})]:
        shape = (3, 6, 4, 2) if target is image else (40, 6)
        yield 3 * torch.randn(shape, generator=rng, dtype=dtype), target, options


def with_gradient(loss, logits, target, **options):
    logits = logits.clone().requires_grad_()
    value = loss(logits, target, **options)
    value.sum().backward()
    return value.detach(), logits.grad


@pytest.mark.parametrize("t1, t2", CASES)
def test_kernels_and_tensor_operations_agree(t1, t2, monkeypatch):
    called = []
    kernel = networks._temper.loss_rows
    monkeypatch.setattr(networks._temper, "loss_rows", lambda *given: called.append(1) or kernel(*given))
    for dtype, bound in ((torch.float64, 1e-12), (torch.float32, 1e-5)):
        for ours, _ in losses():
            for logits, target, options in variants(dtype):
                called.clear()
                fast = with_gradient(ours, logits, target, t1=t1, t2=t2, **options)
                assert called
                with monkeypatch.context() as patch:
                    patch.setattr(networks, "_has_kernel", lambda *_: False)
                    slow = with_gradient(ours, logits, target, t1=t1, t2=t2, **options)
                torch.testing.assert_close(fast, slow, rtol=bound, atol=bound)


@pytest.mark.parametrize("t1, t2", [(0.8, 1.2), (0.2, 1.5), (1.0, 2.0), (0.9, 1.05), (0.5, 4.0)])
def test_published_formulas(t1, t2):
    rng = torch.Generator().manual_seed(8)
    logits = 2 * torch.randn(20, 10, generator=rng, dtype=torch.float64)
    hard = torch.randint(0, 10, (20,), generator=rng)
    soft = torch.softmax(torch.randn(20, 10, generator=rng, dtype=torch.float64), -1)
    for target, y in ((hard, torch.nn.functional.one_hot(hard, 10).double()), (soft, soft)):
        exact, slopes = published_bi_tempered(logits.numpy(), y.numpy(), t1, t2)
        for dtype, bound in ((torch.float64, 1e-10), (torch.float32, 1e-5)):
            given = target.to(dtype) if target is soft else target
            value, gradient = with_gradient(networks.bi_tempered_loss, logits.to(dtype), given, t1=t1, t2=t2,
                                            reduction="none")
            np.testing.assert_allclose(value, exact, rtol=bound, atol=bound)
            np.testing.assert_allclose(gradient, slopes, rtol=bound, atol=bound)


@pytest.mark.parametrize("t1, t2", [(0.8, 1.2), (0.3, 1.0), (1.0, 1.0), (1.0, 1.5), (0.2, 0.8)])
def test_second_derivatives(t1, t2):
    rng = torch.Generator().manual_seed(9)
    logits = 0.3 * torch.randn(3, 4, dtype=torch.float64, generator=rng)
    soft = torch.softmax(torch.randn(3, 4, dtype=torch.float64, generator=rng), -1)
    logits.requires_grad_()
    for ours, _ in losses():
        for target in (torch.tensor([0, 3, -100]), soft):
            assert torch.autograd.gradgradcheck(lambda a: ours(a, target, t1, t2), logits)
    assert torch.autograd.gradgradcheck(lambda a: networks.tempered_softmax(a, t2), logits)


def test_transforms():
    """vmap, grad, and Hessians in three orders of modes."""
    logits = torch.randn(5, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(10))
    target = torch.tensor([0, 1, 2, 3, 0])
    for ours, _ in losses():
        one = lambda a, y: ours(a, y, 0.8, 1.4)  # noqa: E731
        each = torch.func.vmap(torch.func.grad(one))(logits, target)
        torch.testing.assert_close(each, with_gradient(ours, logits, target, t1=0.8, t2=1.4, reduction="sum")[1])
        flat = lambda a: one(a, target[1])  # noqa: E731
        hessian = torch.autograd.functional.hessian(flat, logits[1])
        torch.testing.assert_close(torch.func.jacrev(torch.func.jacrev(flat))(logits[1]), hessian)
        torch.testing.assert_close(torch.func.hessian(flat)(logits[1]), hessian)
        change = torch.ones(4, dtype=torch.float64).cumsum(0)
        _, tangent = torch.func.jvp(flat, (logits[1],), (change,))
        torch.testing.assert_close(tangent, (torch.func.grad(flat)(logits[1]) * change).sum())


def test_no_synchronisation():
    """Nothing looks at a number: tensors without memory will do, as they would on a graphics card."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    for make in (lambda: torch.device("meta"), FakeTensorMode):
        with make():
            for dtype in (torch.float32, torch.bfloat16):
                for ours, _ in losses():
                    logits = torch.empty(8, 5, dtype=dtype, requires_grad=True)
                    target, weight = torch.empty(8, dtype=torch.int64), torch.empty(5, dtype=dtype)
                    ours(logits, target, weight=weight, label_smoothing=0.1).backward()
                    ours(logits, torch.empty(8, 5, dtype=dtype), 0.5, 2.0).backward()
                    assert logits.grad.shape == (8, 5) and logits.grad.dtype == dtype


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compiled_as_one_graph(backend):
    logits, target = torch.randn(8, 5, generator=torch.Generator().manual_seed(5)), torch.arange(8) % 5
    target[3] = -100
    for module in (networks.BiTemperedLoss(weight=torch.rand(5)), networks.TemperedLoss(0.5, 1.3, label_smoothing=0.1)):
        if backend == "inductor" and type(module) is networks.TemperedLoss:
            continue
        torch._dynamo.reset()
        compiled = torch.compile(module, backend=backend, fullgraph=True)
        torch.testing.assert_close(with_gradient(compiled, logits, target), with_gradient(module, logits, target),
                                   rtol=1e-5, atol=1e-6)


def test_autocast():
    layer, rows = torch.nn.Linear(3, 4), torch.randn(6, 3, generator=torch.Generator().manual_seed(6))
    with torch.autocast("cpu", torch.bfloat16):
        logits = layer(rows)
        loss = networks.TemperedLoss()(logits, torch.arange(6) % 4)
        assert logits.dtype == torch.bfloat16 and loss.dtype == torch.float32
    loss.backward()
    assert layer.weight.grad.isfinite().all()
    exact = networks.tempered_loss(logits.detach().double(), torch.arange(6) % 4)
    assert abs(loss.item() - exact.item()) < 1e-6


def test_modules_are_kept_copied_and_moved():
    weight = torch.tensor([1.0, 2.0, 3.0])
    logits, target = torch.eye(3), torch.tensor([0, 1, 1])
    for module in (networks.TemperedLoss(0.5, 1.5, weight, reduction="sum"), networks.BiTemperedLoss(label_smoothing=0.1)):
        for other in (pickle.loads(pickle.dumps(module)), copy.deepcopy(module)):
            assert repr(other) == repr(module)
            torch.testing.assert_close(other(logits, target), module(logits, target))
    assert list(networks.BiTemperedLoss().state_dict()) == []
    module = networks.TemperedLoss(weight=weight)
    assert list(module.state_dict()) == ["weight"] and "weight of 3 classes" in repr(module)
    assert module.to("meta").weight.device.type == "meta" and module.double().weight.dtype == torch.float64
    binary = networks.BinaryTemperedLoss(loss="bi-tempered", pos_weight=torch.tensor(2.0))
    assert repr(binary) == "BinaryTemperedLoss(t1=0.8, t2=1.2, loss='bi-tempered')"
    assert list(binary.state_dict()) == ["pos_weight"]


def test_binary_weights_are_those_of_bce():
    rng = torch.Generator().manual_seed(12)
    a, y = torch.randn(9, generator=rng), torch.rand(9, generator=rng).round()
    weight, positive = torch.rand(9, generator=rng), torch.tensor(3.0)
    for kind in ("tempered", "bi-tempered"):
        module = networks.BinaryTemperedLoss(1.0, 1.0, loss=kind, weight=weight, pos_weight=positive)
        torch.testing.assert_close(module(a, y), torch.nn.BCEWithLogitsLoss(weight, pos_weight=positive)(a, y))
    torch.testing.assert_close(module.probabilities(a), torch.sigmoid(a))
    for dtype in (torch.float64, torch.bfloat16):
        fast = with_gradient(networks.binary_tempered_loss, a.to(dtype), y, t1=0.4, t2=1.3, label_smoothing=0.1)
        assert fast[0].dtype == fast[1].dtype == dtype


def test_what_is_wrong_is_named():
    logits = torch.zeros(2, 3)
    for wrong, message in [(lambda: networks.tempered_loss(logits, torch.zeros(3).long()), "need a target of shape"),
                           (lambda: networks.tempered_loss(logits, torch.tensor([0, 1]), -1.0), "t1 has to be a number"),
                           (lambda: networks.TemperedLoss(reduction="all"), "reduction has to be one of mean, sum, none"),
                           (lambda: networks.TemperedLoss(label_smoothing=2), "label_smoothing has to be between"),
                           (lambda: networks.binary_tempered_loss(logits, logits, loss="x"), "tempered, bi-tempered"),
                           (lambda: networks.binary_tempered_loss(logits, logits[0]), "target has the shape"),
                           (lambda: networks.BinaryTemperedLoss(loss="x"), "tempered, bi-tempered"),
                           (lambda: networks.tempered_loss(logits, torch.tensor([0, 3])), "label 3 .* the 3 classes"),
                           (lambda: networks.tempered_loss(logits.half(), torch.tensor([0, -1])), "label -1 .* 3 classes"),
                           (lambda: networks.tempered_loss(logits, torch.tensor([0, 1]), weight=torch.ones(4)),
                            "3 classes need as many class weights"),
                           (lambda: networks.tempered_loss(logits, torch.ones(2, 3, requires_grad=True)), "detach"),
                           (lambda: networks.tempered_loss(logits, -torch.ones(2, 3)), "no probability")]:
        with pytest.raises(ValueError, match=message):
            wrong()
    with pytest.raises(TypeError, match="floating-point"):
        networks.tempered_loss(logits.long(), torch.tensor([0, 1]))


def test_examples_of_the_docstrings():
    assert doctest.testmod(networks).failed == 0 < doctest.testmod(networks).attempted
