"""The minimisers of tools/make-reference. Each starts at the given point, independently of the others."""
import numpy as np
import scipy.linalg
import scipy.optimize
import scipy.sparse


def region_step(values, vectors, g, radius):
    """The step of the trust region, from the eigenvalues of the Hessian (More and Sorensen)."""
    c = vectors.T @ g
    length = lambda shift: np.linalg.norm(c / (values + shift))
    least = max(0.0, -values[0] + 1e-12 * abs(values[-1]))
    shift = 0.0
    if values[0] <= 0 or length(0.0) > radius:
        low, high = least, least + np.linalg.norm(c) / radius + 1
        for _ in range(100):
            shift = (low + high) / 2
            low, high = (shift, high) if length(shift) > radius else (low, shift)
    step = -c / (values + shift)
    return vectors @ step, c @ step + step @ (values * step) / 2


def newton(f, w, goal, radius=1.0, limit=300):
    """Trust-region Newton with the whole Hessian; at the end steps are judged by the gradient."""
    j, g = f.evaluate(w)
    for _ in range(limit):
        norm = np.linalg.norm(g)
        if norm <= goal:
            break
        values, vectors = np.linalg.eigh(f.hessian(w))
        for _ in range(60):
            step, expected = region_step(values, vectors, g, radius)
            j2, g2 = f.evaluate(w + step)
            ratio = (j2 - j) / expected if expected < 0 else -1
            late = abs(expected) < 1e-11 * abs(j) and np.linalg.norm(g2) < norm
            if late or ratio > 0.75:
                radius = max(radius, 2 * np.linalg.norm(step))
            elif ratio < 0.25:
                radius = np.linalg.norm(step) / 4
            if late or ratio > 1e-4:
                break
        else:
            break
        w, j, g = w + step, j2, g2
    return w


def newton_cg(f, w, goal, limit=100):
    """For convex objectives of many numbers: conjugate gradients, steps halved while J rises."""
    j, g = f.evaluate(w)
    for _ in range(limit):
        norm = np.linalg.norm(g)
        if norm <= goal:
            break
        times, inverse = f.product(w), f.preconditioner(w)
        step = conjugate_gradients(times, inverse, -g, min(0.1, norm) * norm)
        while True:
            j2, g2 = f.evaluate(w + step)
            late = abs(g @ step) < 1e-11 * j and np.linalg.norm(g2) < norm
            if late or j2 < j + 1e-4 * (g @ step) or np.linalg.norm(step) < 1e-14:
                break
            step = step / 2
        w, j, g = w + step, j2, g2
    return w


def conjugate_gradients(times, inverse, b, tolerance, limit=3000):
    x, r = np.zeros_like(b), b.copy()
    z = inverse(r)
    p, rz = z.copy(), r @ z
    for _ in range(limit):
        hp = times(p)
        alpha = rz / (p @ hp)
        x += alpha * p
        r -= alpha * hp
        if np.linalg.norm(r) <= tolerance:
            break
        z = inverse(r)
        rz, old = r @ z, rz
        p = z + rz / old * p
    return x


def lbfgs(f, w, goal):
    options = {"maxiter": 5000, "maxfun": 10000, "ftol": 0, "gtol": 1e4 * goal, "maxcor": 30}
    return scipy.optimize.minimize(f.evaluate, w, jac=True, method="L-BFGS-B", options=options).x


def descent(f, w, goal, limit=1000):
    """Barzilai and Borwein's steps, from a short first one: no model of the curvature at all."""
    j, g = f.evaluate(w)
    start, step, recent = np.linalg.norm(g), 0.1 / np.linalg.norm(g), [j]
    for _ in range(limit):
        if np.linalg.norm(g) <= max(goal, 1e-4 * start):
            break
        while True:
            j2, g2 = f.evaluate(w - step * g)
            if j2 <= max(recent) - 1e-4 * step * (g @ g):
                break
            step /= 4
        s, d = -step * g, g2 - g
        w, j, g, recent = w + s, j2, g2, (recent + [j2])[-10:]
        step = (s @ s) / (s @ d) if s @ d > 0 else 10 * step
    return w


def hinge_optimum(x, y, l2, gap=1e-12):
    """min l2/2 |w|^2 + mean max(0, 1 - m): a primal-dual interior point method on the dual.

    Dual: max sum a - |X'(c a)|^2/(2 l2), 0 <= a <= 1/N, sum c a = 0. Returns w, b and the best bounds."""
    x = x.toarray() if scipy.sparse.issparse(x) else x
    n, d = x.shape
    c, top = 2.0 * y - 1, 1.0 / n
    z = np.hstack([x * c[:, None], c[:, None]])  # margins are z (w, b)
    penalty = np.append(np.full(d, l2), 0)
    u, a = np.zeros(d + 1), np.full(n, top / 2)
    s, v, xi = np.ones(n), np.full(n, top / 2), np.ones(n)  # slack of the margin, top - a, slack of xi
    for _ in range(200):
        # stationarity: penalty u = z'a; margins: z u + xi - s = 1; a s = mu, v xi = mu, a + v = top
        upper = l2 / 2 * u[:d] @ u[:d] + np.maximum(0, 1 - z @ u).sum() / n
        w = z[:, :d].T @ a / l2
        lower = a.sum() - l2 / 2 * w @ w
        mu = (a @ s + v @ xi) / (2 * n)
        imbalance = abs(c @ a)
        if upper - lower <= gap * upper and imbalance < 1e-12:
            break
        for sigma in (0.0, None):
            if sigma is None:
                done = ((a + pa * da) @ (s + pa * ds) + (v - pa * da) @ (xi + pa * dxi)) / (2 * n)
                target, cross = mu * (done / mu) ** 3, (da * ds, -da * dxi)
            else:
                target, cross = 0.0, (0.0, 0.0)
            ra, rv = target - a * s - cross[0], target - v * xi - cross[1]
            rm = 1 - (z @ u + xi - s)
            k = s / a + xi / v
            # ds = (ra - s da)/a, dxi = (rv + xi da)/v, z du + dxi - ds = rm
            free = rm - rv / v + ra / a
            h = z.T @ (z / k[:, None]) + np.diag(penalty)
            h[np.diag_indices(d + 1)] += 1e-14 * h.max()
            r = -(penalty * u - z.T @ a) + z.T @ (free / k)
            factor = scipy.linalg.cho_factor(h)
            du = scipy.linalg.cho_solve(factor, r)
            da = (free - z @ du) / k
            ds, dxi = (ra - s * da) / a, (rv + xi * da) / v
            pa = 1.0
            for value, change in ((a, da), (v, -da), (s, ds), (xi, dxi)):
                falling = change < 0
                if falling.any():
                    pa = min(pa, 0.995 * (-value[falling] / change[falling]).min())
        u, a, v, s, xi = u + pa * du, a + pa * da, v - pa * da, s + pa * ds, xi + pa * dxi
    return u, upper, lower
