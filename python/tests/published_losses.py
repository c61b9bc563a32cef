"""The bi-tempered loss as its paper computes it, in NumPy."""
import numpy as np


def published_bi_tempered(activations, y, t1, t2, iterations=300):
    """Loss and gradient of rows by the formulas of Amid, Warmuth, Anil and Koren (2019), t2 > 1: the normaliser by their
    fixed-point iteration, a <- (a - max) Z(a)**(1 - t2), with as many steps as reach rounding."""
    def exp_t2(x):
        return (1 + (1 - t2) * x) ** (1 / (1 - t2))

    def log_of(x, t):
        return np.log(x) if t == 1 else (x ** (1 - t) - 1) / (1 - t)

    start = activations - activations.max(axis=-1, keepdims=True)
    scaled = start
    for _ in range(iterations):
        scaled = start * exp_t2(scaled).sum(axis=-1, keepdims=True) ** (1 - t2)
    total = exp_t2(scaled).sum(axis=-1, keepdims=True)
    p = exp_t2(start + log_of(1 / total, t2))
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(y > 0, y * (log_of(y, t1) - log_of(p, t1)), 0)
    losses = (logs - (y ** (2 - t1) - p ** (2 - t1)) / (2 - t1)).sum(axis=-1)
    error = (p - y) * p ** (t2 - t1)
    escort = p**t2 / (p**t2).sum(axis=-1, keepdims=True)
    return losses, error - escort * error.sum(axis=-1, keepdims=True)
