"""Rows in the partitions of Dask: each stays where it is, and the model is that of all rows.

Dask moves the partitions and the questions; a partition becomes a shard on the worker that has it. If
a worker is lost, Dask makes its shards again from the partitions. What travels for each question is W
and an answer as long as that. Needs dask and distributed.

It prints::

    6 partitions of 20000 rows in all, on 2 workers
    accuracy 0.812
    the same as fitting all rows at once, to 1e-09: True
"""
from typing import Any

import dask.array
import numpy as np
from dask.distributed import Client, LocalCluster

from temperlr import TemperedLogisticRegression
from temperlr.shards import Plan, Question, Shard, survey


def fit(client: Client, X: dask.array.Array, y: dask.array.Array,
        estimator: TemperedLogisticRegression) -> TemperedLogisticRegression:
    """An estimator fitted to the rows of two Dask arrays, whose blocks of rows go together."""
    blocks = zip(X.to_delayed().ravel(), y.to_delayed().ravel())
    pairs = [client.compute(pair) for pair in blocks]  # (future of X, future of y)
    surveys = [client.submit(survey, *pair) for pair in pairs]
    plan = Plan(client.gather(surveys), estimator)
    shards = [client.submit(Shard, plan, *pair) for pair in pairs]

    def ask(question: Question, w: np.ndarray) -> Any:
        return client.gather([client.submit(Shard.answer, shard, question, w, pure=False)
                              for shard in shards])

    return plan.fit(ask)


def main() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 30))
    y = (X @ rng.normal(size=30) + 2 * rng.logistic(size=20_000) > 0).astype(int)
    estimator = TemperedLogisticRegression(solver="lbfgs", tol=1e-10)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, \
            Client(cluster) as client:
        rows = dask.array.from_array(X, chunks=(3500, 30))
        labels = dask.array.from_array(y, chunks=3500)
        model = fit(client, rows, labels, estimator)
        print(f"{rows.npartitions} partitions of {len(X)} rows in all, on "
              f"{len(client.scheduler_info()['workers'])} workers")
    print(f"accuracy {model.score(X, y):.3f}")
    whole = estimator.fit(X, y)
    apart = np.abs(model.coef_ - whole.coef_).max() / np.abs(whole.coef_).max()
    print(f"the same as fitting all rows at once, to 1e-09: {apart <= 1e-9}")


if __name__ == "__main__":
    main()
