"""Workers of Dask that meet once, and then train over sockets. Needs dask and distributed.

It prints::

    6 blocks on 2 workers: accuracy 0.812
    the same bits as six shards in this process: True
"""
import pickle

import dask.array
import numpy as np
from dask.distributed import Client, LocalCluster

from temperlr import TemperedLogisticRegression
from temperlr.engines import fit_dask
from temperlr.shards import Plan, Shard, survey


def main() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 30))
    y = (X @ rng.normal(size=30) + 2 * rng.logistic(size=20_000) > 0).astype(int)
    estimator = TemperedLogisticRegression(tol=1e-10)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, \
            Client(cluster) as client:
        rows = dask.array.from_array(X, chunks=(3500, 30))
        labels = dask.array.from_array(y, chunks=3500)
        model = fit_dask(client, rows, labels, estimator)
    print(f"{rows.npartitions} blocks on 2 workers: accuracy {model.score(X, y):.3f}")

    parts = [(X[start:start + 3500], y[start:start + 3500]) for start in range(0, 20_000, 3500)]
    plan = Plan([survey(*part) for part in parts], estimator)
    shards = [Shard(plan, *part) for part in parts]
    here = plan.fit(lambda question, w: [shard.answer(question, w) for shard in shards])
    same = pickle.dumps(here._model) == pickle.dumps(model._model)
    print(f"the same bits as six shards in this process: {same}")


if __name__ == "__main__":
    main()
