"""The losses for networks in 40 digits, by the formulas of the papers; what the tests of torch and JAX compare with."""
import mpmath

CASES = [(0.8, 1.2), (0.3, 1.0), (1.0, 1.0), (0.8, 2.0), (1.0, 1.5), (0.0, 1.3), (0.2, 0.5), (1.2, 4.0)]


def log_t(x, t):
    return mpmath.log(x) if t == 1 else (x ** (1 - t) - 1) / (1 - t)


def exp_t(x, t):
    if t == 1:
        return mpmath.exp(x)
    base = 1 + (1 - t) * x
    return base ** (1 / (1 - mpmath.mpf(t))) if base > 0 else mpmath.mpf(0)


def probabilities(activations, t):
    """exp_t(a - G), G by bisection: the sum of p falls with G."""
    a = [mpmath.mpf(x) for x in activations]
    low, high = max(a), max(a) + (mpmath.mpf(len(a)) if t < 1 else log_t(mpmath.mpf(len(a)), 2 - mpmath.mpf(t)) + 1)
    for _ in range(140):
        middle = (low + high) / 2
        if sum(exp_t(x - middle, t) for x in a) > 1:
            low = middle
        else:
            high = middle
    return [exp_t(x - low, t) for x in a]


def tempered(activations, y, t1, t2):
    """Tsallis' divergence of y from p."""
    p = probabilities(activations, t2)
    return -sum(mpmath.mpf(b) * log_t(c / b, t1) for b, c in zip(y, p) if b > 0)


def bi_tempered(activations, y, t1, t2):
    """The Bregman divergence; t1 = 2 is not among the cases."""
    p = probabilities(activations, t2)
    first = sum(mpmath.mpf(b) * (log_t(mpmath.mpf(b), t1) - log_t(c, t1)) for b, c in zip(y, p) if b > 0)
    return first - sum(mpmath.mpf(b) ** (2 - t1) - c ** (2 - t1) for b, c in zip(y, p)) / (2 - mpmath.mpf(t1))


def value_and_gradient(loss, activations, y, t1, t2):
    """The gradient by central differences of step 1e-12 in 40 digits: right to 20 of them."""
    with mpmath.workdps(40):
        step, gradient = mpmath.mpf(10) ** -12, []
        for j in range(len(activations)):
            ends = [[mpmath.mpf(x) + sign * step * (i == j) for i, x in enumerate(activations)] for sign in (1, -1)]
            gradient.append(float((loss(ends[0], y, t1, t2) - loss(ends[1], y, t1, t2)) / (2 * step)))
        return float(loss(activations, y, t1, t2)), gradient
