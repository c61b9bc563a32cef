"""Training by the workers of Dask, Ray and Spark, which meet once and then reduce over sockets.

The engine starts one task on each worker, with its rows, and moves nothing more: a pass over the rows costs what the
network costs, and not what the scheduler of the engine costs (:mod:`temperlr.communicator`). The same shards, in the
same order, give the same bits with each engine, with any number of workers, and with :mod:`temperlr.shards` in one
process.

A worker that is lost ends the tasks of all others within seconds. The fit is then repeated from its beginning on the
workers that are there, with the same result, ``retries`` times. Then it fails with a ``ConnectionError`` that names
the lost worker. Any other exception of a worker, such as a ``ValueError`` for its rows, is raised to the caller at
once.

The engines are imported when they are called; the package needs none of them.
"""
from __future__ import annotations

import importlib
import pickle
import re
import time
from typing import Any, Callable, Iterable, NamedTuple, Protocol, Sequence
from urllib.parse import urlparse

import numpy as np

from .communicator import Communicator, Listener, fit, new_token
from .estimator import TemperedLogisticRegression

__all__ = ["fit_dask", "fit_ray", "fit_spark"]

# Seconds that the other ranks have to end after one has failed, so that the error is known from which the others follow.
_GRACE = 10.0


class DaskClient(Protocol):
    """A ``dask.distributed.Client``."""

    def nthreads(self) -> object: ...


class DaskArray(Protocol):
    """A ``dask.array.Array``."""

    @property
    def chunks(self) -> tuple[tuple[int, ...], ...]: ...


class SparkFrame(Protocol):
    """A ``pyspark.sql.DataFrame``."""

    @property
    def columns(self) -> list[str]: ...


class _Meeting(NamedTuple):
    """What all ranks of a fit are given."""

    size: int
    token: bytes
    meet_timeout: float
    timeout: float
    n_jobs: int | None

    def fit(self, rank: int, address: str, listener: Listener | None, parts: Iterable[Sequence[Any]],
            estimator: TemperedLogisticRegression | None) -> TemperedLogisticRegression | None:
        try:
            communicator = Communicator(rank, self.size, address, token=self.token, listener=listener,
                                        meet_timeout=self.meet_timeout, timeout=self.timeout)
        finally:
            if listener is not None:
                listener.close()
        with communicator:
            return fit(communicator, parts, estimator, n_jobs=self.n_jobs)


def _module(name: str) -> Any:
    """A module of an engine, or what it needs."""
    return importlib.import_module(name)


def _shares(count: int, size: int) -> list[slice]:
    """Shards for each rank: consecutive ones, about as many for each."""
    ends = [count * rank // size for rank in range(size + 1)]
    return [slice(start, end) for start, end in zip(ends, ends[1:])]


def _number(given: int | None, parts: int, workers: int) -> int:
    """How many ranks there are."""
    if given is not None and given < 1:
        raise ValueError(f"n_workers is {given}, and has to be at least 1")
    if parts == 0:
        raise ValueError("there are no rows: no partition was given")
    if given is not None and given > workers:
        raise ValueError(f"n_workers is {given}, and there are {workers} workers")
    return min(given or workers, parts)


def _repeat(attempt: Callable[[], TemperedLogisticRegression], retries: int) -> TemperedLogisticRegression:
    """Again where a worker was lost."""
    for left in range(retries, -1, -1):
        try:
            return attempt()
        except ConnectionError:
            if left == 0:
                raise
    raise AssertionError("not reached")


# ---- Dask ----------------------------------------------------------------------------------------

def fit_dask(client: DaskClient, X: DaskArray, y: DaskArray, estimator: TemperedLogisticRegression | None = None, *,
             sample_weight: DaskArray | None = None, n_workers: int | None = None, n_jobs: int | None = None,
             retries: int = 1, meet_timeout: float = 60.0, timeout: float = 600.0) -> TemperedLogisticRegression:
    """An estimator fitted to the rows of Dask arrays, whose blocks of rows go together and are the shards.

    Each of ``n_workers`` workers (default: all, as far as there are blocks) holds consecutive blocks, and has one
    thread that takes part until the end of the fit; ``n_jobs`` threads compute. See
    :class:`temperlr.communicator.Communicator` for the times.
    """
    cluster: Any = client
    arrays: list[Any] = [X, y] + ([] if sample_weight is None else [sample_weight])
    if any(array.ndim > 1 and array.numblocks[1] > 1 for array in arrays):
        raise ValueError("the blocks of X have a part of the columns; rechunk them: X.rechunk({1: -1})")
    if any(array.chunks[0] != X.chunks[0] for array in arrays):
        raise ValueError("X, y and sample_weight have blocks of different rows; rechunk them alike")
    parts = [cluster.compute(block) for block in zip(*(array.to_delayed().ravel() for array in arrays))]

    def attempt() -> TemperedLogisticRegression:
        workers = sorted(cluster.nthreads())
        size = _number(n_workers, len(parts), len(workers))
        meeting = _Meeting(size, new_token(), meet_timeout, timeout, n_jobs)
        return _dask_attempt(cluster, workers[:size], parts, estimator, meeting)

    return _repeat(attempt, retries)


def _dask_rank(rank: int, name: str, meeting: _Meeting, parts: list[Any],
               estimator: TemperedLogisticRegression | None) -> TemperedLogisticRegression | None:
    """The task of one worker. Rank 0 makes its address known by a variable of the scheduler."""
    distributed = _module("distributed")
    place = distributed.Variable(name)
    if rank > 0:
        return meeting.fit(rank, place.get(timeout=meeting.meet_timeout), None, parts, estimator)
    listener = Listener()
    place.set(f"{urlparse(distributed.get_worker().address).hostname}:{listener.port}")
    return meeting.fit(rank, "", listener, parts, estimator)


def _dask_attempt(client: Any, workers: list[str], parts: list[Any], estimator: TemperedLogisticRegression | None,
                  meeting: _Meeting) -> TemperedLogisticRegression:
    name = f"temperlr-{meeting.token.hex()[:16]}"
    futures = [client.submit(_dask_rank, rank, name, meeting, parts[share], estimator if rank == 0 else None,
                             workers=[workers[rank]], allow_other_workers=False, pure=False, retries=0)
               for rank, share in enumerate(_shares(len(parts), meeting.size))]
    try:
        _dask_wait(client, futures, workers)
        fitted: TemperedLogisticRegression = futures[0].result()
        return fitted
    finally:
        client.cancel(futures, force=True)
        _module("distributed").Variable(name, client=client).delete()


def _dask_wait(client: Any, futures: list[Any], workers: list[str]) -> None:
    """Until all are done, one has failed, or a worker is gone: a task that may run there alone would wait for ever."""
    distributed, failed = _module("distributed"), float("inf")
    while True:
        try:
            distributed.wait(futures, timeout=1, return_when="ALL_COMPLETED")
            done = True
        except TimeoutError:
            done = False
        errors = [future.exception() for future in futures if future.status == "error"]
        gone = set(workers) - set(client.nthreads())
        failed = min(failed, time.monotonic()) if errors else failed
        if errors and (done or gone or time.monotonic() - failed > _GRACE):
            raise _cause(errors)
        if done:
            return
        if gone:
            raise ConnectionError(f"the worker {min(gone)} is lost")


def _cause(errors: list[BaseException]) -> BaseException:
    """Of the errors of several ranks the one from which the others follow: where none is another, a lost connection.
    A worker that Dask calls killed is lost as any other."""
    for error in errors:
        if not isinstance(error, ConnectionError) and type(error).__name__ not in ("KilledWorker", "CancelledError"):
            return error
    lost = next((error for error in errors if isinstance(error, ConnectionError)), errors[0])
    return lost if isinstance(lost, ConnectionError) else ConnectionError(str(lost))


# ---- Ray -----------------------------------------------------------------------------------------

class _RayRank:
    """An actor: one rank."""

    def __init__(self, rank: int) -> None:
        self._rank = rank
        self._listener: Listener | None = None

    def open(self) -> str:
        """On rank 0: where the others connect."""
        self._listener = Listener()
        return f"{_module('ray.util').get_node_ip_address()}:{self._listener.port}"

    def fit(self, meeting: _Meeting, address: str, parts: list[Any],
            estimator: TemperedLogisticRegression | None) -> TemperedLogisticRegression | None:
        ray = _module("ray")
        rows = [tuple(ray.get(list(part))) if isinstance(part, (tuple, list)) else ray.get(part) for part in parts]
        return meeting.fit(self._rank, address, self._listener, rows, estimator)


def fit_ray(parts: Iterable[object], estimator: TemperedLogisticRegression | None = None, *,
            n_workers: int | None = None, n_jobs: int | None = None, retries: int = 1, meet_timeout: float = 60.0,
            timeout: float = 600.0) -> TemperedLogisticRegression:
    """An estimator fitted to rows in the object store of Ray. Each of ``parts`` is a shard: a reference to a tuple
    (X, y) or (X, y, sample_weight), or a tuple of references.

    ``n_workers`` actors of ``n_jobs`` processors (default: one each, as many as Ray has processors and parts) hold
    consecutive parts; they end with the fit.
    """
    ray = _module("ray")
    given = list(parts)
    processors = max(1, int(ray.cluster_resources().get("CPU", 1)) // (n_jobs or 1))
    size = _number(n_workers, len(given), processors)

    def attempt() -> TemperedLogisticRegression:
        meeting = _Meeting(size, new_token(), meet_timeout, timeout, n_jobs)
        return _ray_attempt(given, estimator, meeting)

    return _repeat(attempt, retries)


def _ray_attempt(parts: list[Any], estimator: TemperedLogisticRegression | None,
                 meeting: _Meeting) -> TemperedLogisticRegression:
    ray = _module("ray")
    made = ray.remote(_RayRank).options(num_cpus=meeting.n_jobs or 1, max_restarts=0)
    ranks = [made.remote(rank) for rank in range(meeting.size)]
    try:
        address = ray.get(ranks[0].open.remote(), timeout=meeting.meet_timeout)
        results = [actor.fit.remote(meeting, address, parts[share], estimator if rank == 0 else None)
                   for rank, (actor, share) in enumerate(zip(ranks, _shares(len(parts), meeting.size)))]
        return _ray_results(results)
    except ray.exceptions.GetTimeoutError:
        raise TimeoutError(f"Ray has not started {meeting.size} actors within {meeting.meet_timeout:g} seconds; are "
                           "there as many free processors? give n_workers") from None
    finally:
        for actor in ranks:
            ray.kill(actor)


def _ray_results(results: list[Any]) -> TemperedLogisticRegression:
    """That of rank 0, or the error of the rank from which the errors of others follow."""
    ray, waiting = _module("ray"), list(results)
    errors: list[BaseException] = []
    while waiting:
        done, waiting = ray.wait(waiting, num_returns=1, timeout=_GRACE if errors else None)
        if not done:
            break
        try:
            ray.get(done)
        except ray.exceptions.RayActorError as error:
            errors.append(ConnectionError(f"an actor of Ray is lost: {error}"))
        except Exception as error:
            errors.append(error)
    if errors:
        raise _cause(errors)
    fitted: TemperedLogisticRegression = ray.get(results[0])
    return fitted


# ---- Spark ---------------------------------------------------------------------------------------

def fit_spark(frame: SparkFrame, label: str, features: Sequence[str] | str | None = None,
              estimator: TemperedLogisticRegression | None = None, *, sample_weight: str | None = None,
              n_jobs: int | None = None, retries: int = 1, meet_timeout: float = 60.0,
              timeout: float = 600.0) -> TemperedLogisticRegression:
    """An estimator fitted to the rows of a DataFrame of Spark, whose partitions are the shards.

    ``features`` are columns of numbers (default: all but the label and the weights), or the name of one column of
    arrays. All partitions have to run at the same time, as one barrier stage, so there may be no more of them than
    Spark has task slots: ``frame.repartition(n)``. Needs pyarrow.
    """
    others = {label} | ({sample_weight} if sample_weight else set())
    names = [features] if isinstance(features, str) else list(features or
                                                              [name for name in frame.columns if name not in others])
    whole: Any = frame
    wanted = whole.select(*names, label, *([sample_weight] if sample_weight else []))
    size = _spark_partitions(wanted)

    def attempt() -> TemperedLogisticRegression:
        meeting = _Meeting(size, new_token(), meet_timeout, timeout, n_jobs)
        task = _SparkTask(meeting, names, label, sample_weight, estimator, isinstance(features, str))
        return _spark_results(wanted.mapInArrow(task, "model binary, error binary", barrier=True))

    return _repeat(attempt, retries)


def _spark_results(frame: Any) -> TemperedLogisticRegression:
    """The model of rank 0, or the error of the rank from which the errors of others follow. Spark itself fails where a
    task has ended without a result: it does not repeat a barrier stage whose rows are collected."""
    try:
        rows = frame.collect()
    except Exception as error:
        lost = re.search(r"[^\n]*(ExecutorLostFailure|Python worker exited)[^\n]*", str(error))
        if lost is None:
            raise
        raise ConnectionError(f"Spark has lost a worker: {lost[0].strip()[:400]}") from error
    errors = [pickle.loads(bytes(row["error"])) for row in rows if row["error"] is not None]
    if errors:
        raise _cause(errors)
    (text,) = (row["model"] for row in rows if row["model"] is not None)
    fitted: TemperedLogisticRegression = pickle.loads(bytes(text))
    return fitted


def _spark_partitions(frame: Any) -> int:
    """How many there are, unless Spark could not run all of them at once, and would try for minutes."""
    size: int = frame.rdd.getNumPartitions()
    slots: int = frame.sparkSession.sparkContext.defaultParallelism
    if size > slots:
        raise ValueError(f"there are {size} partitions, and Spark can run {slots} tasks at the same time; "
                         f"give frame.repartition({slots})")
    return size


class _SparkTask(NamedTuple):
    """What Spark calls once for each partition."""

    meeting: _Meeting
    features: list[str]
    label: str
    sample_weight: str | None
    estimator: TemperedLogisticRegression | None
    arrays: bool

    def __call__(self, batches: Iterable[Any]) -> Iterable[Any]:
        """A row with the model, by rank 0, or with an exception: one that were raised would end the tasks of the other
        ranks before they have told theirs."""
        pa, cloudpickle = _module("pyarrow"), _module("pyspark.cloudpickle")
        model = error = None
        try:
            model = self._fit(list(batches))
        except Exception as raised:
            error = cloudpickle.dumps(raised)
        schema = pa.schema([("model", pa.binary()), ("error", pa.binary())])
        row = {"model": [None if model is None else cloudpickle.dumps(model)], "error": [error]}
        yield pa.RecordBatch.from_pydict(row, schema=schema)

    def _fit(self, batches: list[Any]) -> TemperedLogisticRegression | None:
        """Meets the other ranks by the one barrier that there is."""
        context = _module("pyspark").BarrierTaskContext.get()
        rank = context.partitionId()
        listener = Listener() if rank == 0 else None
        host = context.getTaskInfos()[rank].address.rsplit(":", 1)[0]
        address = context.allGather(f"{host}:{listener.port}" if listener is not None else "")[0]
        return self.meeting.fit(rank, address, listener, self._parts(batches), self.estimator)

    def _parts(self, batches: list[Any]) -> list[tuple[Any, ...]]:
        """The rows of a partition as one part; none of an empty one."""
        pa = _module("pyarrow")
        if sum(batch.num_rows for batch in batches) == 0:
            return []
        table = pa.Table.from_batches(batches)
        if self.arrays:
            X = np.stack(table[self.features[0]].to_pylist())
        else:
            X = np.column_stack([table[name].to_numpy() for name in self.features])
        weights = () if self.sample_weight is None else (table[self.sample_weight].to_numpy(),)
        return [(X, table[self.label].to_numpy(zero_copy_only=False), *weights)]
