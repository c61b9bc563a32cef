"""Processes that train together, connected by TCP: tasks of Spark, Dask or Ray, or of a shell.

Something else starts the processes and gives each its rank, the address of rank 0 and a token; they meet
once, and every pass over the rows is then one sum over their sockets, however slow the engine is that
started them. ``temperlr.engines`` does all of it for Dask, Ray and Spark.

The model is that of :mod:`temperlr.shards` bit for bit: sums are added in the order of the shards,
whichever process holds them. A process that dies, fails or is silent for too long ends the fit of all
others with a ``ConnectionError`` that names it.

>>> import threading
>>> import numpy as np
>>> from sklearn.datasets import load_iris
>>> X, y = load_iris(return_X_y=True)
>>> token, listener, models = new_token(), Listener("127.0.0.1"), {}
>>> def process(rank, rows):  # a thread here; elsewhere a process on another machine
...     with Communicator(rank, 2, f"127.0.0.1:{listener.port}", token=token,
...                       listener=listener if rank == 0 else None) as communicator:
...         models[rank] = fit(communicator, [(X[rows], y[rows])])
>>> other = threading.Thread(target=process, args=(1, slice(70, 150)))
>>> other.start()
>>> process(0, slice(0, 70))
>>> other.join()
>>> models[0].score(X, y) > 0.9, models[1]
(True, None)
"""
from __future__ import annotations

import itertools
import secrets
import struct
from types import TracebackType
from typing import Any, Iterable, Sequence

import numpy as np

from . import _temper
from ._types import Numbers, Rows
from .estimator import TemperedLogisticRegression
from .shards import Plan, Question, Shard, survey

__all__ = ["Communicator", "Listener", "fit", "new_token"]

# A request of rank 0: what is asked, the temperatures and the smoothing, the loss; then w.
_REQUEST = struct.Struct("=q3d128s")
_END = -1  # asked: the fit is done


def new_token() -> bytes:
    """32 random bytes, which the processes of one group share and no others know."""
    return secrets.token_bytes(32)


class Listener:
    """The socket at which rank 0 waits for the others; it exists before its port is made known to them.

    ``host`` is an address of this machine, "" all of them; ``port`` 0 takes one that is free.
    """

    def __init__(self, host: str = "", port: int = 0) -> None:
        self._listener = _temper.listen(host, port)

    @property
    def port(self) -> int:
        """Where to connect."""
        return self._listener.port

    def close(self) -> None:
        """Takes no more connections. Those that were made remain."""
        self._listener.close()

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()


class Communicator:
    """One of ``size`` processes, which are connected each with each when this returns.

    Parameters
    ----------
    rank : from 0.
    size : how many there are.
    address : "host:port" of the listener of rank 0; rank 0 needs none.
    token : the same 16 to 64 bytes in all processes; others are refused. Nothing is encrypted.
    listener : of rank 0 alone.
    meet_timeout : seconds to wait until all have come.
    timeout : seconds after which a process that is waited for and sends nothing counts as lost. It has to be
        longer than one pass over the rows of any process. One whose machine is gone is noticed after half a minute,
        one that has ended at once.
    """

    def __init__(self, rank: int, size: int, address: str | None = None, *, token: bytes,
                 listener: Listener | None = None, meet_timeout: float = 60.0, timeout: float = 600.0) -> None:
        self.rank, self.size = rank, size
        if rank < 0 or rank >= size:
            raise ValueError(f"there is no rank {rank} of {size}; ranks are counted from 0")
        host, port = _split(address) if rank > 0 else ("", 0)
        self._group = _temper.meet(rank, size, None if listener is None else listener._listener, host, port,
                                   token, meet_timeout, timeout)

    def gather(self, mine: bytes) -> list[bytes]:
        """What each process gave, in the order of the ranks, to all."""
        lengths = np.empty(self.size, dtype=np.int64)
        own = np.array([len(mine)], dtype=np.int64)
        self._group.gather(own.view(np.uint8), (8,) * self.size, lengths.view(np.uint8))
        each = tuple(int(length) for length in lengths)
        together = bytearray(sum(each))
        self._group.gather(mine, each, together)
        ends = list(itertools.accumulate(each))
        return [bytes(together[end - length:end]) for length, end in zip(each, ends)]

    def broadcast(self, mine: bytes | None, root: int = 0) -> bytes:
        """What process ``root`` gave, to all; the others give None."""
        return self.gather(b"" if mine is None or self.rank != root else mine)[root]

    def _share(self, buffer: np.ndarray) -> None:
        """Replaces a buffer of bytes, of a length that all know, by that of rank 0."""
        lengths = (buffer.size,) + (0,) * (self.size - 1)
        self._group.gather(buffer.copy() if self.rank == 0 else b"", lengths, buffer)

    def add(self, vectors: np.ndarray, counts: Sequence[int]) -> np.ndarray:
        """The sum of the vectors of all processes, rows of an array of doubles of which process r has
        ``counts[r]``: added in a tree over their numbers, so that the bits do not depend on who holds them."""
        return self._sum(np.array(vectors, dtype=np.float64, order="C", ndmin=2), counts)

    def _sum(self, rows: np.ndarray, counts: Sequence[int]) -> np.ndarray:
        """The same of rows that are overwritten."""
        out = np.empty(rows.shape[1])
        self._group.sum(rows, (0, *itertools.accumulate(counts)), out)
        return out

    def abort(self, reason: str) -> None:
        """Ends the group: whatever the others wait for fails with these words."""
        self._group.abort(reason)

    def close(self) -> None:
        """Closes the connections. Others that wait for this process fail."""
        self._group.close()

    def __enter__(self) -> Communicator:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if error is not None:
            self.abort(_words(error))
        self.close()


def _split(address: str | None) -> tuple[str, int]:
    """Host and port; an IPv6 address may be in brackets."""
    host, colon, port = (address or "").rpartition(":")
    if not colon or not host or not port.isdecimal():
        raise ValueError(f"the address of rank 0 is 'host:port', and not {address!r}")
    return host.strip("[]"), int(port)


def _words(error: BaseException) -> str:
    words = f"{type(error).__name__}: {error}".replace("\0", " ")
    return words.encode(errors="replace").decode()


def fit(communicator: Communicator, parts: Iterable[Sequence[Rows | Numbers]],
        estimator: TemperedLogisticRegression | None = None, *,
        n_jobs: int | None = None) -> TemperedLogisticRegression | None:
    """Fits a model to the rows of all processes, each of which calls this with its own ``parts``: tuples (X, y) or
    (X, y, sample_weight), as many as it holds, possibly none. Each part is a shard of :mod:`temperlr.shards`; they
    are numbered by the ranks of their processes, then by their order.

    The fitted estimator on rank 0, None on the others. ``estimator`` matters on rank 0 alone, where the solver and
    its callbacks run. An exception in one process ends the fit in all of them.
    """
    try:
        return _fit(communicator, [tuple(part) for part in parts], estimator, n_jobs)
    except BaseException as error:
        communicator.abort(_words(error))
        raise


def _fit(communicator: Communicator, parts: list[tuple[Any, ...]], estimator: TemperedLogisticRegression | None,
         n_jobs: int | None) -> TemperedLogisticRegression | None:
    surveys = [_unpack(packed) for packed in
               communicator.gather(_pack([survey(*part, n_jobs=n_jobs) for part in parts]))]
    counts = [len(of_rank) for of_rank in surveys]
    plan = Plan(itertools.chain(*surveys), estimator) if communicator.rank == 0 else None
    text = communicator.broadcast(None if plan is None else plan._plan.text())
    if plan is None:
        plan = Plan._from_text(text)
    shards = [Shard(plan, *part, n_jobs=n_jobs) for part in parts]
    worker = _Worker(communicator, plan, shards, counts)
    if communicator.rank > 0:
        worker.serve()
        return None
    model = plan._train(worker.lead)
    worker.end()
    return model


class _Worker:
    """The shards of a process, and the sums of all."""

    def __init__(self, communicator: Communicator, plan: Plan, shards: list[Shard], counts: list[int]) -> None:
        self._communicator, self._plan, self._shards, self._counts = communicator, plan, shards, counts
        self._request = np.zeros(_REQUEST.size + 8 * plan.n_weights, dtype=np.uint8)

    def _total(self, question: Question, w: np.ndarray) -> np.ndarray:
        answers = np.empty((len(self._shards), self._plan._plan.answer_length(question.asked)))
        for row, shard in enumerate(self._shards):
            answers[row] = shard.answer(question, w)
        return self._communicator._sum(answers, self._counts)

    def _put(self, question: Question) -> None:
        """The fixed part of a request."""
        self._request[:_REQUEST.size] = np.frombuffer(
            _REQUEST.pack(question.asked, question.t1, question.t2, question.smoothing, question.loss.encode()),
            dtype=np.uint8)

    def lead(self, question: Question, w: np.ndarray) -> np.ndarray:
        """On rank 0: asks all, and adds."""
        self._put(question)
        self._request[_REQUEST.size:] = w.view(np.uint8)
        self._communicator._share(self._request)
        return self._total(question, w)

    def end(self) -> None:
        self._put(Question(_END, "", 0.0, 0.0, 0.0))
        self._communicator._share(self._request)

    def serve(self) -> None:
        """On the others: answers until rank 0 is done."""
        while True:
            self._communicator._share(self._request)
            asked, t1, t2, smoothing, loss = _REQUEST.unpack(self._request[:_REQUEST.size].tobytes())
            if asked == _END:
                return
            w = self._request[_REQUEST.size:].view(np.float64)
            self._total(Question(asked, loss.rstrip(b"\0").decode(), t1, t2, smoothing), w)


def _pack(texts: list[bytes]) -> bytes:
    """Texts as one: their number, their lengths, then they themselves."""
    return struct.pack(f"=q{len(texts)}q", len(texts), *map(len, texts)) + b"".join(texts)


def _unpack(packed: bytes) -> list[bytes]:
    (count,) = struct.unpack_from("=q", packed)
    lengths = struct.unpack_from(f"={count}q", packed, 8)
    ends = list(itertools.accumulate(lengths, initial=8 + 8 * count))
    return [packed[start:end] for start, end in zip(ends, ends[1:])]
