"""Data for the tests: small, made on the spot, with some labels wrong."""
from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import signal
import threading

import numpy as np
import pytest
from scipy import sparse

ROOT = pathlib.Path(__file__).resolve().parents[2]


def made(rows=600, columns=8, classes=2, seed=0, dtype=np.float64):
    """Rows of whole numbers, exact in every type, whose labels follow them but for a tenth."""
    rng = np.random.RandomState(seed)
    X = rng.randint(0, 9, size=(rows, columns)).astype(dtype)
    y = np.argmax(X @ rng.normal(size=(columns, classes)) + rng.normal(size=classes), axis=1)
    wrong = rng.rand(rows) < 0.1
    y[wrong] = rng.randint(0, classes, wrong.sum())
    return X, y


@contextlib.contextmanager
def until_others_ran():
    """A callback that ends the work once another thread has counted three times between two calls.

    While C works and keeps the lock, it could do so once at most, where Python is entered again."""
    counted, before, done = [0], [], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            done.wait(0.001)

    def follow(now):
        before.append(counted[0])
        return len(before) > 1 and before[-1] - before[-2] >= 3

    counter = threading.Thread(target=count)
    counter.start()
    try:
        yield follow
    finally:
        done.set()
        counter.join()


@contextlib.contextmanager
def ctrl_c_inside():
    """Ctrl-C while the library works, timed by events and not by a clock.

    A signal is sent as soon as the one before was heard. Three that are heard at the same
    instruction of the same frame of the package were heard by the C code that it calls: Python's own
    loop advances by one between two of them. The third raises KeyboardInterrupt."""
    seen, heard, done = [], threading.Event(), threading.Event()

    def hear(number, frame):
        seen.append((frame, frame.f_lasti))
        heard.set()
        inside = pathlib.Path(frame.f_code.co_filename).parent.name == "temperlr"
        if inside and not done.is_set() and seen[-3:] == seen[-1:] * 3:
            done.set()
            raise KeyboardInterrupt

    def send():
        while not done.is_set():
            heard.clear()
            os.kill(os.getpid(), signal.SIGINT)
            heard.wait()

    before = signal.signal(signal.SIGINT, hear)
    sender = threading.Thread(target=send)
    sender.start()
    try:
        yield
    finally:
        done.set()
        sender.join()
        signal.signal(signal.SIGINT, before)


@pytest.fixture(params=["float64", "float32", "uint8", "csr", "csr float64", "csr int64"])
def kind(request):
    return request.param


def wide_indices(X):
    """The same matrix with indices of 64 bits, as scipy has them where 32 are too few."""
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def as_kind(X, kind):
    if kind == "csr":
        return sparse.csr_matrix(X.astype(np.float32))
    if kind == "csr float64":
        return sparse.csr_matrix(X.astype(np.float64))
    if kind == "csr int64":
        return wide_indices(sparse.csr_matrix(X.astype(np.float64)))
    return np.ascontiguousarray(X, dtype=kind)


@pytest.fixture
def command():
    """The command `temper`: $TEMPER, or one that was built here."""
    for path in (os.environ.get("TEMPER"), ROOT / "build/gcc/temper", ROOT / "build/temper"):
        if path and pathlib.Path(path).exists():
            return str(path)
    found = shutil.which("temper")
    if not found:
        pytest.skip("the command temper is not built; run make")
    return found
