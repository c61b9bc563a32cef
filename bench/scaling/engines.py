"""Milliseconds a pass over the rows with two workers each: by Dask, Ray, Spark, plain processes and MPI.

    engines.py BUILD RECORD [ENGINE...]

ENGINE is one of local, processes, dask, ray, spark, mpi (default: all); RECORD keeps what earlier runs have measured.
Two problems: one so small that a pass is communication alone, and one with work. Each is trained for up to 60
iterations of L-BFGS on two shards; the time from iteration 5 to the last is divided by the passes between them, the
same for all, as the bits are; they are counted in one process. "sockets" is temperlr.engines; "requests" asks the
shards by the engine in every pass (temperlr.shards), by a task (Dask), a call of an actor (Ray) or one gather of a
barrier stage (Spark, the gather alone). MPI is `temper-mpi train`, its seconds and evaluations from two runs. Medians
of 3 rounds.
Times mean something on a quiet machine alone. `make bench-engines` runs it in build/venv-engines."""
import contextlib
import json
import multiprocessing
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

from temperlr import TemperedLogisticRegression
from temperlr.communicator import Communicator, Listener, fit, new_token
from temperlr.engines import fit_dask, fit_ray, fit_spark
from temperlr.shards import Plan, Shard, survey

PROBLEMS = {"small": (2_000, 30, 2), "large": (40_000, 200, 10)}
FROM, TO, ROUNDS = 5, 60, 3


def rows(problem):
    count, columns, classes = PROBLEMS[problem]
    draw = np.random.default_rng(0)
    X = draw.normal(size=(count, columns))
    return X, np.argmax(X @ draw.normal(size=(columns, classes)) + 8 * draw.gumbel(size=(count, classes)), axis=1)


def halves(problem):
    X, y = rows(problem)
    middle = len(y) // 2
    return [(X[:middle], y[:middle]), (X[middle:], y[middle:])]


def estimator(callback=None):
    return TemperedLogisticRegression(tol=1e-15, max_iter=TO, callback=callback, solver="lbfgs")


def writes(path):
    """A callback that keeps the seconds of each iteration in a file; made here so that engines send it as it is."""
    path = str(path)

    def after(progress):
        with open(path, "a") as file:
            file.write(f"{progress.iteration} {progress.seconds}\n")

    return after


def seconds_between(path):
    at = {int(iteration): float(seconds) for iteration, seconds in (line.split() for line in open(path))}
    os.remove(path)
    return at[max(at)] - at[FROM]


def by_requests(plan, ask):
    """Trains with requests; seconds from iteration FROM to the last, and passes between them."""
    asked, at = [0], {}

    def counted(question, w):
        asked[0] += 1
        return ask(question, w)

    plan.estimator.callback = lambda progress: at.__setitem__(progress.iteration, (progress.seconds, asked[0]))
    plan.fit(counted)
    return tuple(last - first for first, last in zip(at[FROM], at[max(at)]))


def in_one_process(problem):
    parts = halves(problem)
    plan = Plan([survey(*part) for part in parts], estimator())
    shards = [Shard(plan, *part, n_jobs=1) for part in parts]
    return by_requests(plan, lambda question, w: [shard.answer(question, w) for shard in shards])


# ---- The engines: each starts once, and yields what measures a problem: seconds a pass by kind -----------------

@contextlib.contextmanager
def local(folder):
    yield lambda problem, passes: {"one process": in_one_process(problem)[0] / passes}


@contextlib.contextmanager
def processes(folder):
    def measure(problem, passes):
        parts, token, path = halves(problem), new_token(), folder / "processes"
        with Listener("127.0.0.1") as listener:
            def run(rank):
                with Communicator(rank, 2, f"127.0.0.1:{listener.port}", token=token,
                                  listener=None if rank else listener) as communicator:
                    fit(communicator, [parts[rank]], estimator(writes(path)), n_jobs=1)

            other = multiprocessing.get_context("fork").Process(target=run, args=(1,))
            other.start()
            run(0)
            other.join()
        return {"sockets": seconds_between(path) / passes}

    yield measure


@contextlib.contextmanager
def dask(folder):
    import dask.array
    from dask.distributed import Client, LocalCluster

    def measure(problem, passes):
        X, y = rows(problem)
        half = (len(y) // 2, X.shape[1])
        blocks = dask.array.from_array(X, chunks=half).persist(), dask.array.from_array(y, chunks=half[0]).persist()
        fit_dask(client, *blocks, estimator(writes(folder / "dask")), n_jobs=1)
        sockets = seconds_between(folder / "dask") / passes
        pairs = [client.compute(pair) for pair in zip(*(block.to_delayed().ravel() for block in blocks))]
        plan = Plan(client.gather([client.submit(survey, *pair) for pair in pairs]), estimator())
        shards = [client.submit(Shard, plan, *pair, workers=[worker], n_jobs=1, pure=False)
                  for pair, worker in zip(pairs, client.nthreads())]

        def ask(question, w):
            return client.gather([client.submit(Shard.answer, shard, question, w, pure=False) for shard in shards])

        seconds, asked = by_requests(plan, ask)
        return {"sockets": sockets, "requests": seconds / asked}

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        yield measure


class Holder:
    """An actor that answers requests."""

    def survey(self, part):
        self.part = part
        return survey(*part)

    def take(self, plan):
        self.shard = Shard(plan, *self.part, n_jobs=1)

    def answer(self, question, w):
        return self.shard.answer(question, w)


@contextlib.contextmanager
def ray(folder):
    import ray

    def measure(problem, passes):
        parts = [ray.put(part) for part in halves(problem)]
        fit_ray(parts, estimator(writes(folder / "ray")), n_jobs=1)
        sockets = seconds_between(folder / "ray") / passes
        holders = [ray.remote(Holder).remote() for _ in parts]
        plan = Plan(ray.get([holder.survey.remote(part) for holder, part in zip(holders, parts)]), estimator())
        ray.get([holder.take.remote(plan) for holder in holders])
        seconds, asked = by_requests(
            plan, lambda question, w: ray.get([holder.answer.remote(question, w) for holder in holders]))
        for holder in holders:
            ray.kill(holder)
        return {"sockets": sockets, "requests": seconds / asked}

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=4 * 10**8)
    yield measure
    ray.shutdown()


def gathers(batches):
    """Seconds of gathers in one barrier stage, without the first."""
    from pyspark import BarrierTaskContext
    context, times = BarrierTaskContext.get(), []
    for _ in range(4):
        start = time.monotonic()
        context.allGather("x")
        times.append(time.monotonic() - start)
    return times[1:]


@contextlib.contextmanager
def spark(folder):
    import pandas
    from pyspark.sql import SparkSession
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false")
               .config("spark.log.level", "ERROR").config("spark.sql.execution.arrow.pyspark.enabled", "true")
               .config("spark.rpc.message.maxSize", "512").getOrCreate())

    def measure(problem, passes):
        X, y = rows(problem)
        table = pandas.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])
        table["label"] = y
        frame = session.createDataFrame(table).repartition(2)
        fit_spark(frame, "label", None, estimator(writes(folder / "spark")), n_jobs=1)
        sockets = seconds_between(folder / "spark") / passes
        times = session.sparkContext.parallelize([0, 1], 2).barrier().mapPartitions(gathers).collect()
        return {"sockets": sockets, "requests": statistics.median(times)}

    yield measure
    session.stop()


@contextlib.contextmanager
def mpi(folder):
    build = pathlib.Path(sys.argv[1])

    def train(problem, iterations):
        done = subprocess.run(
            ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", "2", build / "temper-mpi.openmpi",
             "train", folder / f"{problem}.tmpr", "-m", folder / "m.temper", "--solver", "lbfgs", "--tol", "1e-15",
             "--max-iter", str(iterations), "--threads", "1", "--calibrate", "none", "--precision", "f64", "--json"],
            check=True, capture_output=True, text=True)
        return json.loads(done.stdout)

    def measure(problem, passes):
        if not (folder / f"{problem}.tmpr").exists():
            X, y = rows(problem)
            np.savetxt(folder / "rows.csv", np.column_stack([X, y]), delimiter=",", fmt=["%.9g"] * X.shape[1] + ["%d"])
            subprocess.run([build / "temper", "convert", folder / "rows.csv", folder / f"{problem}.tmpr"], check=True,
                           capture_output=True)
        few, many = (train(problem, iterations) for iterations in (FROM, TO))
        return {"MPI": (many["seconds"]["train"] - few["seconds"]["train"]) /
                (many["evaluations"] - few["evaluations"])}

    yield measure


ENGINES = {"local": local, "processes": processes, "dask": dask, "ray": ray, "spark": spark, "mpi": mpi}


def main():
    record = pathlib.Path(sys.argv[2])
    kept = json.loads(record.read_text()) if record.exists() else {}
    passes = {problem: in_one_process(problem)[1] for problem in PROBLEMS}
    for name in sys.argv[3:] or ENGINES:
        with tempfile.TemporaryDirectory() as folder, ENGINES[name](pathlib.Path(folder)) as measure:
            for problem in PROBLEMS:
                rounds = [measure(problem, passes[problem]) for _ in range(ROUNDS)]
                middle = {kind: 1000 * statistics.median(one[kind] for one in rounds) for kind in rounds[0]}
                kept.setdefault(name, {})[problem] = middle
                print(name, problem, *(f"{kind} {ms:.3g} ms" for kind, ms in middle.items()), flush=True)
        record.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
