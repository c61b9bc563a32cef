"""Actors of Ray that meet once, and then train over sockets. Needs ray.

It prints::

    6 parts on 2 actors: accuracy 0.812
"""
import numpy as np
import ray

from temperlr import TemperedLogisticRegression
from temperlr.engines import fit_ray


def main() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 30))
    y = (X @ rng.normal(size=30) + 2 * rng.logistic(size=20_000) > 0).astype(int)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=10**8)
    parts = [ray.put((X[start:start + 3500], y[start:start + 3500])) for start in range(0, 20_000, 3500)]
    model = fit_ray(parts, TemperedLogisticRegression(tol=1e-10), n_workers=2)
    print(f"{len(parts)} parts on 2 actors: accuracy {model.score(X, y):.3f}")
    ray.shutdown()


if __name__ == "__main__":
    main()
