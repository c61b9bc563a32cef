#!/usr/bin/python3
"""PyTorch on one thread: a linear model by its L-BFGS, with the logistic or the bi-tempered loss; or the
loss and its gradient alone, in nanoseconds a row. Run by a Python that has torch (Debian's python3-torch).

    peer_torch.py fit FOLDER L2 TOL OUT.npz [T1 T2]     prints {"seconds": ...}; weights go to OUT.npz
    peer_torch.py serve                                 the same for every line [FOLDER, L2, TOL, OUT.npz, T1, T2]
    peer_torch.py loss CLASSES T1 T2                    prints {"nanoseconds": ...}

The bi-tempered loss is written from the formulas of "Robust Bi-Tempered Logistic Loss Based on Bregman
Divergences" (Amid, Warmuth, Anil, Koren 2019): five fixed-point iterations for the normaliser, as there."""
import json
import pathlib
import sys
import time

import numpy
import torch

ITERATIONS = 5


def log_t(u, t):
    return torch.log(u) if t == 1 else (u ** (1 - t) - 1) / (1 - t)


def exp_t(u, t):
    return torch.exp(u) if t == 1 else torch.relu(1 + (1 - t) * u) ** (1 / (1 - t))


def probabilities(a, t):
    """The tempered softmax: a - mu, normalised by the iteration of the paper's appendix (t > 1)."""
    if t == 1:
        return torch.softmax(a, 1)
    top = a.max(1, keepdim=True).values
    start = a - top
    scaled = start
    for _ in range(ITERATIONS):
        scaled = start * exp_t(scaled, t).sum(1, keepdim=True) ** (1 - t)
    total = exp_t(scaled, t).sum(1, keepdim=True)
    return exp_t(a - (-log_t(1 / total, t) + top), t)


def bi_tempered(a, label, t1, t2):
    p = probabilities(a, t2)
    given = p.gather(1, label[:, None])[:, 0]
    return -log_t(given, t1) - (1 - (p ** (2 - t1)).sum(1)) / (2 - t1)


class Model:
    """Weights and intercepts as one vector, and the objective that DESIGN names J."""

    def __init__(self, x, y, l2, temperatures):
        classes = numpy.unique(y)
        self.x, self.l2, self.temperatures = torch.from_numpy(x), l2, temperatures
        self.label = torch.from_numpy(numpy.searchsorted(classes, y))
        self.outputs = 1 if len(classes) == 2 else len(classes)
        self.w = torch.zeros(self.outputs, x.shape[1], requires_grad=True)
        self.b = torch.zeros(self.outputs, requires_grad=True)

    def losses(self, a):
        two = self.outputs == 1
        if self.temperatures:
            return bi_tempered(torch.cat([-a / 2, a / 2], 1) if two else a, self.label, *self.temperatures)
        if two:
            return torch.nn.functional.softplus(a[:, 0] * (1 - 2 * self.label))
        return torch.nn.functional.cross_entropy(a, self.label, reduction="none")

    def objective(self):
        return self.losses(self.x @ self.w.T + self.b).mean() + self.l2 / 2 * (self.w * self.w).sum()

    def fit(self, tol):
        optimiser = torch.optim.LBFGS([self.w, self.b], max_iter=2000, max_eval=4000, history_size=10,
                                      tolerance_grad=tol * self.first_slope(), tolerance_change=0,
                                      line_search_fn="strong_wolfe")

        def closure():
            optimiser.zero_grad()
            value = self.objective()
            value.backward()
            return value

        optimiser.step(closure)

    def first_slope(self):
        """The largest entry of the gradient at 0: what its tolerance is relative to, as ours is."""
        self.objective().backward()
        return float(max(self.w.grad.abs().max(), self.b.grad.abs().max()))


def fit(folder, l2, tol, out, *temperatures):
    x = numpy.load(pathlib.Path(folder) / "train.npy")
    y = numpy.loadtxt(pathlib.Path(folder) / "train.labels", dtype=int)
    model = Model(x, y, float(l2), [float(t) for t in temperatures])
    start = time.process_time()
    model.fit(float(tol))
    seconds = time.process_time() - start
    numpy.savez(out, w=model.w.detach().numpy().astype(float), b=model.b.detach().numpy().astype(float))
    return {"seconds": seconds}


def loss(classes, t1, t2):
    torch.manual_seed(1)
    rows = max(64, 100000 // int(classes))
    a = (3 * torch.randn(rows, int(classes))).requires_grad_()
    label = torch.randint(0, int(classes), (rows,))
    best = float("inf")
    for _ in range(7):
        start = time.process_time()
        a.grad = None
        bi_tempered(a, label, float(t1), float(t2)).sum().backward()
        best = min(best, time.process_time() - start)
    return {"nanoseconds": best / rows * 1e9}


def serve():
    for line in sys.stdin:
        print(json.dumps(fit(*json.loads(line))), flush=True)


torch.set_num_threads(1)
if sys.argv[1] == "serve":
    serve()
else:
    print(json.dumps({"fit": fit, "loss": loss}[sys.argv[1]](*sys.argv[2:])))
