"""Data for the tests: small, made on the spot, with some labels wrong."""
from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
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
def counting():
    """Another thread counts, a thousand times a second at most: [0] of what this gives."""
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            done.wait(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    try:
        yield counted
    finally:
        done.set()
        counter.join()


@pytest.fixture(params=["float64", "float32", "uint8", "csr"])
def kind(request):
    return request.param


def as_kind(X, kind):
    if kind == "csr":
        return sparse.csr_matrix(X.astype(np.float32))
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
