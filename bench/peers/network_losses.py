"""Losses for neural networks: forward and backward of a batch, in microseconds, on one and two threads.

    network_losses.py [OUT.json]

temperlr.torch by its kernels and by tensor operations, beside cross-entropy and the bi-tempered loss as published: the
normaliser by 5 or 20 fixed-point iterations with the escort as its derivative, all else by autograd, written from the
formulas of its paper (Amid, Warmuth, Anil, Koren 2019). The deviation is that of the loss from 64-bit arithmetic with
300 iterations. NumPy's temperlr.tempered_loss follows. Each time is the least of many calls."""
import json
import sys
import time

import numpy
import temperlr
import temperlr.torch as ours
import torch

T1, T2 = 0.8, 1.2
SHAPES = [(128, 10), (4096, 10), (256, 1000)]
SECONDS, LEAST_CALLS = 0.4, 3  # of each measurement


class Normaliser(torch.autograd.Function):
    """a <- (a - max) Z(a)**(1 - t), as often as is asked for."""

    @staticmethod
    def forward(ctx, a, t, iterations):
        top = a.amax(-1, keepdim=True)
        start = a - top
        scaled = start
        for _ in range(iterations):
            scaled = start * exp_t(scaled, t).sum(-1, keepdim=True) ** (1 - t)
        total = exp_t(scaled, t).sum(-1, keepdim=True)
        normaliser = -log_t(1 / total, t) + top
        ctx.save_for_backward(a, normaliser)
        ctx.t = t
        return normaliser

    @staticmethod
    def backward(ctx, slope):
        a, normaliser = ctx.saved_tensors
        powers = exp_t(a - normaliser, ctx.t) ** ctx.t
        return slope * powers / powers.sum(-1, keepdim=True), None, None


def log_t(u, t):
    return torch.log(u) if t == 1 else (u ** (1 - t) - 1) / (1 - t)


def exp_t(u, t):
    return torch.exp(u) if t == 1 else torch.relu(1 + (1 - t) * u) ** (1 / (1 - t))


def published(iterations):
    def loss(a, label):
        p = exp_t(a - Normaliser.apply(a, T2, iterations), T2)
        y = torch.nn.functional.one_hot(label, a.shape[-1]).to(a.dtype)
        terms = y * log_t(y + 1e-10, T1) - y * log_t(p, T1) - y ** (2 - T1) / (2 - T1) + p ** (2 - T1) / (2 - T1)
        return terms.sum(-1).mean()
    return loss


def by_tensor_operations(loss):
    def run(a, label):
        kernel, ours._has_kernel = ours._has_kernel, lambda *_: False
        try:
            return loss(a, label)
        finally:
            ours._has_kernel = kernel
    return run


def bi_tempered(a, label):
    return ours.bi_tempered_loss(a, label, T1, T2)


def two_temperatures(a, label):
    return ours.tempered_loss(a, label, T1, T2)


METHODS = {
    "cross-entropy, torch": torch.nn.functional.cross_entropy,
    "bi-tempered, published, 5 iterations": published(5),
    "bi-tempered, published, 20 iterations": published(20),
    "bi-tempered, temperlr": bi_tempered,
    "bi-tempered, temperlr, tensor operations": by_tensor_operations(bi_tempered),
    "two-temperature, temperlr": two_temperatures,
}


def least(call):
    """Microseconds of the fastest call."""
    times, end = [], time.perf_counter() + SECONDS
    call()
    while time.perf_counter() < end or len(times) < LEAST_CALLS:
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times) * 1e6


def time_torch(records):
    for rows, classes in SHAPES:
        rng = torch.Generator().manual_seed(0)
        logits = 2 * torch.randn(rows, classes, generator=rng)
        label = torch.randint(0, classes, (rows,), generator=rng)
        exact = published(300)(logits.double(), label).item()
        for name, loss in METHODS.items():
            leaf = logits.clone().requires_grad_()

            def both():
                leaf.grad = None
                loss(leaf, label).backward()

            deviation = abs(loss(logits, label).item() - exact) if name.startswith("bi-") else float("nan")
            for threads in (1, 2):
                torch.set_num_threads(threads)
                with torch.no_grad():
                    forward = least(lambda: loss(logits, label))
                records.append({"rows": rows, "classes": classes, "method": name, "threads": threads,
                                "forward": forward, "both": least(both), "deviation": deviation})


def time_numpy(records):
    rng = numpy.random.default_rng(0)
    for rows, classes in SHAPES:
        for dtype in (numpy.float32, numpy.float64):
            a, y = (2 * rng.normal(size=(rows, classes))).astype(dtype), rng.integers(classes, size=rows)
            for threads in (1, 2):
                records.append({"rows": rows, "classes": classes, "method": f"two-temperature, NumPy {dtype.__name__}",
                                "threads": threads, "deviation": float("nan"),
                                "forward": least(lambda: temperlr.tempered_loss(a, y, T1, T2, n_jobs=threads)),
                                "both": least(lambda: temperlr.tempered_loss(a, y, T1, T2, gradient=True,
                                                                             n_jobs=threads))})


def main():
    records = []
    time_torch(records)
    time_numpy(records)
    print("| rows × classes | loss | forward, 1 thread, µs | with gradient, 1 thread, µs | 2 threads, µs | µs a row | "
          "error of the loss |\n|---|---|---|---|---|---|---|")
    for one, two in zip(records[::2], records[1::2]):
        error = "" if one["deviation"] != one["deviation"] else f"{one['deviation']:.0e}"
        print(f"| {one['rows']} × {one['classes']} | {one['method']} | {one['forward']:.0f} | {one['both']:.0f} | "
              f"{two['both']:.0f} | {one['both'] / one['rows']:.2f} | {error} |")
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w") as file:
            json.dump({"torch": torch.__version__, "records": records}, file, indent=1)


if __name__ == "__main__":
    main()
