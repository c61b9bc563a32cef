"""Processes that train together over sockets: the bits of local shards, and what a lost process does to the others.

Ranks are forked processes. All waiting is for events; WATCHDOG is a limit that only a failing test reaches."""
import multiprocessing
import os
import pickle
import signal
import sys
import threading

import numpy as np
import pytest
from conftest import made

from temperlr import TemperedLogisticRegression
from temperlr.communicator import Communicator, Listener, fit, new_token
from temperlr.shards import Plan, Shard, survey

WATCHDOG = 240
TOKEN = bytes(range(32))
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no connections by TCP there")
forked = multiprocessing.get_context("fork") if sys.platform != "win32" else None


def parts_of(X, y, count, weights=None):
    cuts = np.linspace(0, len(y), count + 1).astype(int)
    slices = [slice(*ends) for ends in zip(cuts, cuts[1:])]
    return [(X[s], y[s]) if weights is None else (X[s], y[s], weights[s]) for s in slices]


def local(parts, estimator):
    plan = Plan([survey(*part) for part in parts], estimator)
    shards = [Shard(plan, *part) for part in parts]
    return plan.fit(lambda question, w: [shard.answer(question, w) for shard in shards])


def process(rank, size, listener, work, results):
    """A rank: its result, or its exception, goes into the queue with its rank."""
    try:
        with Communicator(rank, size, f"127.0.0.1:{listener.port}", token=TOKEN,
                          listener=listener if rank == 0 else None, meet_timeout=WATCHDOG,
                          timeout=WATCHDOG) as communicator:
            results.put((rank, work(communicator)))
    except BaseException as error:
        results.put((rank, error))


def run(size, work, dies=()):
    """What each rank returned or raised; ranks that die return nothing."""
    results = forked.Queue()
    with Listener("127.0.0.1") as listener:
        ranks = [forked.Process(target=process, args=(rank, size, listener, work, results)) for rank in range(size)]
        for rank in ranks:
            rank.start()
        found = dict(results.get(timeout=WATCHDOG) for _ in range(size - len(dies)))
    for rank in ranks:
        rank.join(WATCHDOG)
        assert rank.exitcode is not None
    return [found.get(rank) for rank in range(size)]


@pytest.mark.parametrize("size, counts", [(2, [1, 1]), (3, [2, 0, 3])])
def test_the_bits_of_local_shards(size, counts):
    X, y = made(classes=3)
    parts = parts_of(X, y, sum(counts), weights=np.arange(600) % 4 / 2)
    ends = np.cumsum([0, *counts])
    estimator = TemperedLogisticRegression(solver="lbfgs", tol=1e-8)

    def work(communicator):
        own = parts[ends[communicator.rank]:ends[communicator.rank + 1]]
        return pickle.dumps(fit(communicator, own, estimator if communicator.rank == 0 else None))

    first, *others = (pickle.loads(result) for result in run(size, work))
    wanted = local(parts, estimator)
    assert pickle.dumps(first._model) == pickle.dumps(wanted._model)
    assert np.array_equal(first.loss_curve_, wanted.loss_curve_)
    assert others == [None] * (size - 1)


def test_gather_broadcast_and_add():
    def work(communicator):
        rank = communicator.rank
        gathered = communicator.gather(b"x" * rank)
        everywhere = communicator.broadcast(b"from two" if rank == 2 else None, root=2)
        return gathered, everywhere, communicator.add(np.full((rank, 3), rank), [0, 1, 2])

    for gathered, everywhere, total in run(3, work):
        assert gathered == [b"", b"x", b"xx"] and everywhere == b"from two"
        assert np.array_equal(total, [5, 5, 5])


@pytest.mark.parametrize("victim", [0, 1])
def test_a_killed_process_ends_the_fit_of_the_others(victim):
    parts = parts_of(*made(), 3)

    def work(communicator):
        pids = [int(pid) for pid in communicator.gather(str(os.getpid()).encode())]
        seen = []

        def after(progress):
            seen.append(progress)
            if len(seen) == 3:
                os.kill(pids[victim], signal.SIGKILL)

        fit(communicator, [parts[communicator.rank]], TemperedLogisticRegression(tol=1e-12, callback=after))

    results = run(3, work, dies=[victim])
    assert results.pop(victim) is None
    assert [type(result) for result in results] == [ConnectionError] * 2
    assert any(f"rank {victim}" in str(result) for result in results)


def test_an_exception_in_one_process_is_told_to_the_others():
    parts = parts_of(*made(), 2)

    def work(communicator):
        X, y = parts[communicator.rank]
        return fit(communicator, [(X[:, :7] if communicator.rank else X, y)])

    first, second = run(2, work)
    assert type(first) is ValueError and "shard 2 has 7 dense features" in str(first)
    assert type(second) is ConnectionError
    assert "rank 0 at 127.0.0.1 has failed: ValueError: shard 2 has 7 dense" in str(second)


def test_a_reason_in_any_letters_is_told():
    """The text is cut within a letter of three bytes."""
    def work(communicator):
        if communicator.rank == 1:
            raise RuntimeError("\ud800 \0 x" + "\u20ac" * 300)
        communicator.gather(b"")

    first, second = run(2, work)
    assert type(second) is RuntimeError and type(first) is ConnectionError
    assert "rank 1 at 127.0.0.1 has failed: RuntimeError: ?   x\u20ac\u20ac" in str(first)


def test_another_token_is_refused():
    done = threading.Event()
    results = {}
    with Listener("127.0.0.1") as listener:
        def host():
            try:
                Communicator(0, 2, token=TOKEN, listener=listener, meet_timeout=2)
            except ConnectionError as error:
                results[0] = str(error)
            done.set()

        waiting = threading.Thread(target=host)
        waiting.start()
        with pytest.raises((ValueError, ConnectionError)):  # the latter if the host has gone by then
            Communicator(1, 2, f"127.0.0.1:{listener.port}", token=new_token(), meet_timeout=5)
        assert done.wait(WATCHDOG)
        waiting.join()
    assert "1 of 2 processes, the first of them rank 1, did not connect within 2 seconds" in results[0]


def test_signals_are_heard_while_waiting():
    """As Ctrl-C: the handler raises, and the wait ends with its exception."""
    class Alarm(Exception):
        pass

    def handler(number, frame):
        raise Alarm

    old = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with Listener("127.0.0.1") as listener, pytest.raises(Alarm):
            Communicator(0, 2, token=TOKEN, listener=listener, meet_timeout=WATCHDOG)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


@pytest.mark.parametrize("arguments, words", [
    (dict(rank=2, size=2, token=TOKEN), "no rank 2 of 2"), (dict(rank=1, size=2, token=TOKEN), "'host:port'"),
    (dict(rank=1, size=2, address="here", token=TOKEN), "'host:port'"),
    (dict(rank=0, size=1, token=b"short"), "the token has 5 bytes"),
    (dict(rank=0, size=2, token=TOKEN), "rank 0 needs a listener"),
    (dict(rank=0, size=1, token=TOKEN, timeout=0), "seconds to wait")])
def test_arguments_are_checked(arguments, words):
    with pytest.raises(ValueError, match=words):
        Communicator(**arguments)


def test_a_closed_communicator_refuses():
    with Communicator(0, 1, token=TOKEN) as communicator:
        assert communicator.gather(b"alone") == [b"alone"]
        with pytest.raises(ValueError, match="no vector|has to be one"):
            communicator.add(np.empty((0, 2)), [0])
    with pytest.raises(RuntimeError, match="is closed"):
        communicator.gather(b"")
