"""Dask, Ray and Spark with two workers each: the model has the bits of local shards, a worker that is killed in the
middle of a fit ends it or is made up for, nothing hangs, and nothing is left running. The examples run as printed.

`make engines` runs this in build/venv-engines. All waiting is for events; WATCHDOG is a limit that only a failing test
reaches. A callback of the estimator, which runs on rank 0, kills the worker: its functions are made within functions,
so that they are sent as they are."""
import functools
import os
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from temperlr import TemperedLogisticRegression
from temperlr.engines import fit_dask, fit_ray, fit_spark
from temperlr.shards import Plan, Shard, survey

ROOT = pathlib.Path(__file__).resolve().parents[2]
WATCHDOG = 540
MARK = f"TEMPER_ENGINES_TEST={os.getpid()}"  # in the environment of every process that an engine starts
os.environ.update([MARK.split("=")])
os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
os.environ["RAY_DEDUP_LOGS"] = "0"


@pytest.fixture(autouse=True)
def watchdog():
    def give_up(number, frame):
        raise TimeoutError(f"nothing has happened for {WATCHDOG} seconds")

    old = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(WATCHDOG)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, old)


def marked_processes():
    """Of this test, besides itself: whatever became of their parents. Python's own helper that cleans up after
    multiprocessing ends with this process."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if int(folder.name) != os.getpid() and MARK.encode() in (folder / "environ").read_bytes().split(b"\0"):
                words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                if "multiprocessing.resource_tracker" not in words:
                    found[int(folder.name)] = words[:120]
        except OSError:  # it has ended, or is not ours
            continue
    return found


@pytest.fixture(scope="module", autouse=True)
def nothing_is_left():
    yield
    until = time.monotonic() + WATCHDOG
    while marked_processes() and time.monotonic() < until:
        time.sleep(0.2)
    assert marked_processes() == {}


# ---- Data, and the model of local shards ---------------------------------------------------------

def rows(count=600, columns=8, classes=3, seed=0):
    rng = np.random.RandomState(seed)
    X = rng.randint(0, 9, size=(count, columns)).astype(float)
    y = np.argmax(X @ rng.normal(size=(columns, classes)) + 6 * rng.normal(size=(count, classes)), axis=1)
    return X, y


def shards_of(X, y, count):
    cuts = [len(y) * k // count for k in range(count + 1)]
    return [(X[a:b], y[a:b]) for a, b in zip(cuts, cuts[1:])]


def estimator(callback=None):
    return TemperedLogisticRegression(solver="lbfgs", tol=1e-10, callback=callback)


def bits(model):
    return pickle.dumps(model._model)


@functools.lru_cache
def local_bits(count):
    parts = shards_of(*rows(), count)
    plan = Plan([survey(*part) for part in parts], estimator())
    shards = [Shard(plan, *part) for part in parts]
    return bits(plan.fit(lambda question, w: [shard.answer(question, w) for shard in shards]))


def kills(choose, once):
    """A callback for rank 0: kills the process that ``choose()`` names in the third iteration of the first attempt."""
    once = str(once)

    def after(progress):
        if progress.iteration >= 3 and not os.path.exists(once):
            victim = choose()
            with open(once, "x") as file:
                file.write(str(victim))
            os.kill(victim, signal.SIGKILL)

    return after


# ---- Dask ----------------------------------------------------------------------------------------

@pytest.fixture
def dask_client():
    from dask.distributed import Client, LocalCluster
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        yield client


def by_dask(client, model, **options):
    import dask.array
    X, y = rows()
    return fit_dask(client, dask.array.from_array(X, chunks=(150, 8)), dask.array.from_array(y, chunks=150), model,
                    **options)


def test_dask_has_the_bits_of_local_shards(dask_client):
    assert bits(by_dask(dask_client, estimator())) == local_bits(4)
    assert bits(by_dask(dask_client, estimator(), n_workers=1)) == local_bits(4)


@pytest.mark.parametrize("victim", [0, 1])
@pytest.mark.parametrize("retries", [0, 1])
def test_a_worker_of_dask_is_killed(dask_client, tmp_path, victim, retries):
    pids = dask_client.run(os.getpid)
    pid = pids[sorted(pids)[victim]]
    model = estimator(kills(lambda: pid, tmp_path / "killed"))
    if retries:
        assert bits(by_dask(dask_client, model, retries=1)) == local_bits(4)
    else:
        with pytest.raises(ConnectionError, match="rank|worker"):
            by_dask(dask_client, model, retries=0)
    assert (tmp_path / "killed").read_text() == str(pid)


def test_dask_raises_what_a_worker_raises(dask_client):
    import dask.array
    X, y = rows()
    X[400, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        fit_dask(dask_client, dask.array.from_array(X, chunks=(150, 8)), dask.array.from_array(y, chunks=150))
    with pytest.raises(ValueError, match="rechunk"):
        fit_dask(dask_client, dask.array.from_array(X, chunks=(150, 4)), dask.array.from_array(y, chunks=150))
    with pytest.raises(ValueError, match="different rows"):
        fit_dask(dask_client, dask.array.from_array(X, chunks=(150, 8)), dask.array.from_array(y, chunks=200))
    with pytest.raises(ValueError, match="n_workers is 3, and there are 2 workers"):
        by_dask(dask_client, estimator(), n_workers=3)


# ---- Ray -----------------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def ray_cluster():
    import ray
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=10**8)
    yield ray
    ray.shutdown()


def by_ray(ray, model, **options):
    return fit_ray([ray.put(part) for part in shards_of(*rows(), 4)], model, **options)


def ray_victim(other):
    """This actor, or the one beside it."""
    def choose():
        if not other:
            return os.getpid()
        for folder in os.listdir("/proc"):
            if folder.isdecimal() and int(folder) != os.getpid():
                try:
                    parent = int(open(f"/proc/{folder}/stat").read().rpartition(")")[2].split()[1])
                    words = open(f"/proc/{folder}/cmdline").read()
                except OSError:
                    continue
                if parent == os.getppid() and "_RayRank" in words:
                    return int(folder)
        raise RuntimeError("the other actor is not there")

    return choose


def test_ray_has_the_bits_of_local_shards(ray_cluster):
    assert bits(by_ray(ray_cluster, estimator())) == local_bits(4)
    assert bits(by_ray(ray_cluster, estimator(), n_workers=1)) == local_bits(4)


@pytest.mark.parametrize("other", [False, True])
@pytest.mark.parametrize("retries", [0, 1])
def test_an_actor_of_ray_is_killed(ray_cluster, tmp_path, other, retries):
    model = estimator(kills(ray_victim(other), tmp_path / "killed"))
    if retries:
        assert bits(by_ray(ray_cluster, model, retries=1)) == local_bits(4)
    else:
        with pytest.raises(ConnectionError, match="rank|actor"):
            by_ray(ray_cluster, model, retries=0)
    assert (tmp_path / "killed").exists()


def test_ray_raises_what_an_actor_raises(ray_cluster):
    X, y = rows()
    X[400, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        fit_ray([ray_cluster.put(part) for part in shards_of(X, y, 2)])
    with pytest.raises(ValueError, match="n_workers is 3, and there are 2 workers"):
        by_ray(ray_cluster, estimator(), n_workers=3)


# ---- Spark ---------------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def spark():
    from pyspark.sql import SparkSession
    session = (SparkSession.builder.master("local-cluster[2,1,1024]").appName("temper")
               .config("spark.ui.enabled", "false").config("spark.log.level", "ERROR")
               .config("spark.driver.bindAddress", "127.0.0.1")
               # how often it looks whether there are slots for all tasks, after an executor was lost
               .config("spark.scheduler.barrier.maxConcurrentTasksCheck.interval", "1s").getOrCreate())
    yield session
    session.stop()
    # The JVM ends with the last handle to it.
    gateway = session.sparkContext._gateway
    gateway.shutdown()
    gateway.proc.stdin.close()


def frame_of(spark, X, y, count=2):
    table = spark.sparkContext.parallelize([(*map(float, row), int(label)) for row, label in zip(X, y)], count)
    return spark.createDataFrame(table, [*(f"f{j}" for j in range(X.shape[1])), "label"])


def spark_victim(other):
    """The executor of rank 0, or the one beside it. Both are children of the process that has the driver."""
    def parent_of(process):
        return int(open(f"/proc/{process}/stat").read().rpartition(")")[2].split()[1])

    def choose():
        own = os.getpid()
        while "CoarseGrainedExecutorBackend" not in open(f"/proc/{own}/cmdline").read():
            own = parent_of(own)
        if not other:
            return own
        for folder in os.listdir("/proc"):
            if folder.isdecimal() and int(folder) != own:
                try:
                    words = open(f"/proc/{folder}/cmdline").read()
                    if "CoarseGrainedExecutorBackend" in words and parent_of(folder) == parent_of(own):
                        return int(folder)
                except OSError:
                    continue
        raise RuntimeError("the other executor is not there")

    return choose


def test_spark_has_the_bits_of_local_shards(spark):
    assert bits(fit_spark(frame_of(spark, *rows()), "label", None, estimator())) == local_bits(2)


def test_spark_takes_arrays_and_weights(spark):
    from pyspark.sql import functions
    X, y = rows()
    frame = frame_of(spark, X, y).withColumn("weight", functions.lit(1.0))
    frame = frame.select(functions.array(*[f"f{j}" for j in range(8)]).alias("x"), "label", "weight")
    model = fit_spark(frame, "label", "x", estimator(), sample_weight="weight")
    assert np.allclose(model.coef_, pickle_model(local_bits(2)), atol=0, rtol=1e-9)


def pickle_model(text):
    from temperlr.files import fill
    model = TemperedLogisticRegression()
    fill(model, pickle.loads(text))
    return model.coef_


@pytest.mark.parametrize("other", [False, True])
@pytest.mark.parametrize("retries", [0, 1])
def test_an_executor_of_spark_is_killed(spark, tmp_path, other, retries):
    """Spark starts another executor."""
    frame, model = frame_of(spark, *rows()), estimator(kills(spark_victim(other), tmp_path / "killed"))
    if retries:
        assert bits(fit_spark(frame, "label", None, model, retries=1)) == local_bits(2)
    else:
        with pytest.raises(ConnectionError, match="lost a worker|rank"):
            fit_spark(frame, "label", None, model, retries=0)
    assert (tmp_path / "killed").exists()


def test_a_python_process_of_spark_is_killed(spark, tmp_path):
    model = estimator(kills(lambda: os.getpid(), tmp_path / "killed"))
    assert bits(fit_spark(frame_of(spark, *rows()), "label", None, model)) == local_bits(2)
    assert (tmp_path / "killed").exists()


def test_spark_raises_what_a_task_raises(spark):
    X, y = rows()
    X[400, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        fit_spark(frame_of(spark, X, y), "label")
    with pytest.raises(Exception, match="no_such_column"):
        fit_spark(frame_of(spark, X, y), "no_such_column")
    with pytest.raises(ValueError, match=r"there are 3 partitions.* can run 2 tasks.* give frame.repartition\(2\)"):
        fit_spark(frame_of(spark, X, y, 3), "label")


def test_spark_takes_what_the_message_advises(spark):
    """Spark moves the rows, so that the shards are others."""
    model = fit_spark(frame_of(spark, *rows(), 3).repartition(2), "label", None, estimator())
    assert np.allclose(model.coef_, pickle_model(local_bits(2)), atol=1e-6)


# ---- Examples ------------------------------------------------------------------------------------

@pytest.mark.parametrize("path", sorted((ROOT / "python/examples/engines").glob("*.py")), ids=lambda path: path.stem)
def test_examples_print_what_they_promise(path):
    promised = re.search(r"It prints::\n\n((?: {4}.*\n)+)", path.read_text())[1]
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=WATCHDOG)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "".join(line[4:] + "\n" for line in promised.splitlines())
