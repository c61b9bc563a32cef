"""The losses and objectives of tools/make-reference: written apart from the library, slow and plain.

A loss gives value, slope and curvature by margin for two classes, or value and gradient by activations
for many. Roots are bracketed, and bisected wherever Newton's step would leave the bracket.
"""
import math

import numpy as np
import scipy.linalg
import scipy.sparse


def log_t(x, t):
    return np.log(x) if t == 1 else np.expm1((1 - t) * np.log(x)) / (1 - t)


def log_exp_t(x, t):
    """log exp_t(x)"""
    with np.errstate(divide="ignore", invalid="ignore"):
        return x if t == 1 else np.log1p(np.maximum((1 - t) * x, -1)) / (1 - t)


def log_probabilities(a, t):
    """log p = log exp_t(a - G) of each row: G bisected between max a and max a - log_t(1/C)."""
    gaps = a.max(1, keepdims=True) - a
    if t == 1:
        return -gaps - np.log(np.exp(-gaps).sum(1, keepdims=True))
    low = lam = np.zeros((len(a), 1))
    high = np.full((len(a), 1), -float(log_t(1.0 / a.shape[1], t)))
    for _ in range(200):
        logs = log_exp_t(-gaps - lam, t)
        over = np.exp(logs).sum(1, keepdims=True) - 1
        low, high = np.where(over > 0, lam, low), np.where(over > 0, high, lam)
        guess = lam + over / np.exp(t * logs).sum(1, keepdims=True)
        inside = (guess > low) & (guess < high)  # Newton's step shortens the bisection
        lam, last = np.where(inside, guess, (low + high) / 2), lam
        if np.all(np.abs(lam - last) <= 4e-15 * (1 + lam)):
            break
    logs = log_exp_t(-gaps - lam, t)
    return logs - np.log(np.exp(logs).sum(1, keepdims=True))  # the last bit of the root


def margin_logs(m, t):
    """log p and log(1 - p) where log_t p - log_t(1 - p) = m: the logit of p is bisected."""
    if t == 1:
        return -np.logaddexp(0, -m), -np.logaddexp(0, m)
    split = lambda u: (-np.logaddexp(0, -u), -np.logaddexp(0, u))
    stretch = lambda y: np.expm1((1 - t) * y) / (1 - t)
    bound = np.abs(m) + 1 if t > 1 else np.full_like(m, 700.0)
    grid = np.linspace(-30, 30, 6001)  # m is explicit in u: a table is a good start
    u = np.interp(m, stretch(split(grid)[0]) - stretch(split(grid)[1]), grid)
    low, high, u = -bound, bound, np.clip(u, -bound, bound)
    for _ in range(200):
        p, q = split(u)
        over = stretch(p) - stretch(q) - m
        low, high = np.where(over > 0, low, u), np.where(over > 0, u, high)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            guess = u - over / (np.exp((1 - t) * p + q) + np.exp((1 - t) * q + p))
        inside = (guess > low) & (guess < high)  # Newton's step shortens the bisection
        u, last = np.where(inside, guess, (low + high) / 2), u
        if np.all(np.abs(u - last) <= 4e-15 * (1 + np.abs(u))):
            break
    return split(u)


class Tempered:
    def __init__(self, t1, t2):
        self.t1, self.t2 = t1, t2

    def margin(self, m):
        p, q = margin_logs(m, self.t2)
        value = -p if self.t1 == 1 else -np.expm1((1 - self.t1) * p) / (1 - self.t1)
        # dp/dm = 1/(p^-t2 + q^-t2)
        slope = -np.exp(-self.t1 * p - np.logaddexp(-self.t2 * p, -self.t2 * q))
        return value, slope

    def curvature(self, m):
        """Of the margin, by differences: it only steers Newton's steps."""
        h = 1e-4
        return (self.margin(m + h)[1] - self.margin(m - h)[1]) / (2 * h)

    def many(self, a, y):
        logs = log_probabilities(a, self.t2)
        own = logs[np.arange(len(y)), y]
        value = -own if self.t1 == 1 else -np.expm1((1 - self.t1) * own) / (1 - self.t1)
        escort = np.exp(self.t2 * logs)
        escort /= escort.sum(1, keepdims=True)
        escort[np.arange(len(y)), y] -= 1
        return value, np.exp((self.t2 - self.t1) * own)[:, None] * escort


class Bregman(Tempered):
    def margin(self, m):
        a = np.stack([m / 2, -m / 2], 1)
        value, gradient = self.many(a, np.zeros(len(m), int))
        return value, (gradient[:, 0] - gradient[:, 1]) / 2

    def many(self, a, y):
        logs = log_probabilities(a, self.t2)
        rows, t1 = np.arange(len(y)), self.t1
        own = logs[rows, y]
        value = np.exp((2 - t1) * logs).sum(1) / (2 - t1) - 1 / (2 - t1)
        value += -own if t1 == 1 else -np.expm1((1 - t1) * own) / (1 - t1)
        by_p = np.exp((1 - t1) * logs)
        by_p[rows, y] -= np.exp(-t1 * own)
        power = np.exp(self.t2 * logs)  # dp_c/da_k = p_c^t2 (1[c = k] - escort_k)
        escort = power / power.sum(1, keepdims=True)
        pulled = by_p * power
        return value, pulled - escort * pulled.sum(1, keepdims=True)


class SmoothHinge(Tempered):
    """Two classes; a parabola of width `smoothing` rounds the kink."""

    def __init__(self, smoothing):
        self.width = smoothing

    def margin(self, m):
        z = np.maximum(1 - m, 0)
        value = np.where(z < self.width, z * z / (2 * self.width), z - self.width / 2)
        return value, -np.minimum(z / self.width, 1)

    def curvature(self, m):
        return ((1 - m > 0) & (1 - m < self.width)) / self.width


def make_loss(case):
    kind = case["loss"]
    if kind == "hinge":
        return SmoothHinge(case["smoothing"])
    if kind == "bregman":
        return Bregman(case["t1"], case["t2"])
    return Tempered(case["t1"], case["t2"])


# ---- Objectives ----------------------------------------------------------------------------------------


class Objective:
    """J(w); w is [features, intercept] for two classes, [that][C] flattened for many."""

    def __init__(self, x, y, loss, l2):
        self.n, self.d = x.shape
        ones = np.ones((self.n, 1))
        self.sparse = scipy.sparse.issparse(x)
        self.x = scipy.sparse.hstack([x, ones]).tocsr() if self.sparse else np.hstack([x, ones])
        self.xt = self.x.T.tocsr() if self.sparse else self.x.T
        self.y, self.loss = y, loss
        self.classes = int(y.max()) + 1
        self.vectors = 1 if self.classes == 2 else self.classes
        self.size = (self.d + 1) * self.vectors
        self.l2 = np.full((self.d + 1, self.vectors), l2)
        self.l2[-1] = 0
        self.sign = 2.0 * y - 1

    def losses(self, w):
        """The loss of every row, and its slopes by activations as [rows][vectors]."""
        a = self.x @ w.reshape(-1, self.vectors)
        if self.vectors > 1:
            return self.loss.many(a, self.y)
        value, slope = self.loss.margin(a[:, 0] * self.sign)
        return value, (slope * self.sign)[:, None]

    def evaluate(self, w):
        value, slope = self.losses(w)
        w = w.reshape(-1, self.vectors)
        gradient = self.xt @ slope / self.n + self.l2 * w
        j = math.fsum(value) / self.n + math.fsum((self.l2 * w * w).ravel()) / 2
        return j, np.asarray(gradient).ravel()

    def hessian(self, w):
        """Dense; by differences of the gradient for several classes."""
        if self.vectors > 1:
            step = 1e-5 * np.eye(self.size)
            h = [(self.evaluate(w + e)[1] - self.evaluate(w - e)[1]) / 2e-5 for e in step]
            return (np.array(h) + np.array(h).T) / 2
        k = self.loss.curvature((self.x @ w) * self.sign) / self.n
        if self.sparse:
            h = (self.xt @ self.x.multiply(k[:, None]).tocsr()).toarray()
        else:
            h = self.xt @ (self.x * k[:, None])
        return h + np.diag(self.l2[:, 0])

    def product(self, w):
        """v -> Hv, for the logistic loss of many features."""
        a = self.x @ w.reshape(-1, self.vectors)
        if self.vectors == 1:
            k = self.loss.curvature(a[:, 0] * self.sign)[:, None] / self.n
            turn = lambda u: k * u
        else:
            p = np.exp(log_probabilities(a, 1))
            turn = lambda u: p * (u - (p * u).sum(1, keepdims=True)) / self.n

        def times(v):
            v = v.reshape(-1, self.vectors)
            return np.asarray(self.xt @ turn(self.x @ v) + self.l2 * v).ravel()

        return times

    def preconditioner(self, w):
        """The mean of the classes' blocks of H, factored (dense); its diagonal (sparse)."""
        if self.vectors == 1:
            k = self.loss.curvature((self.x @ w) * self.sign)[:, None]
        else:
            p = np.exp(log_probabilities(self.x @ w.reshape(-1, self.vectors), 1))
            k = p * (1 - p)
        if self.sparse:
            square = self.x.copy()
            square.data **= 2
            diagonal = np.asarray(square.T @ k / self.n + self.l2).ravel()
            return lambda v: v / diagonal
        block = self.xt @ (self.x * k.mean(1, keepdims=True)) / self.n + np.diag(self.l2[:, 0])
        factor = scipy.linalg.cho_factor(block + 1e-12 * np.eye(self.d + 1))
        return lambda v: scipy.linalg.cho_solve(factor, v.reshape(-1, self.vectors)).ravel()
