"""Nothing is copied of X: what the peak of memory grows by, in shares of X."""
import os
import subprocess
import sys

import pytest

# In a process of its own, whose peak is taken back to what is used now before it fits: what the
# libraries load once is there from a small fit before.
PROGRAM = """
import sys, warnings
import numpy as np
from scipy import sparse
import temperlr
warnings.simplefilter("ignore")
kind, rows, columns, each, classes = sys.argv[1], *map(int, sys.argv[2:])
def memory(what):
    return 1024 * int(next(line for line in open("/proc/self/status") if what in line).split()[1])
def made_sparse(rows):
    rng, step = np.random.default_rng(0), columns // each
    indices = rng.integers(0, step, (rows, each), dtype=np.int32)
    indices += np.arange(0, step * each, step, dtype=np.int32)
    indptr = np.arange(0, each * rows + 1, each, dtype=np.int32)
    values = rng.random(each * rows, dtype=np.float64 if "float64" in kind else np.float32)
    X = sparse.csr_matrix((values, indices.reshape(-1), indptr), shape=(rows, columns))
    if "int64" in kind:
        X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X
def made(rows):
    if each:
        return made_sparse(rows)
    rng = np.random.default_rng(0)
    X = np.empty((rows, columns), dtype=kind)
    for row in range(0, rows, 1000):
        X[row:row + 1000] = rng.integers(0, 256, (min(1000, rows - row), columns), dtype=np.uint8)
    return X
def growth(X):
    y = np.arange(X.shape[0], dtype=np.int64) % classes
    model = temperlr.TemperedLogisticRegression(max_iter=2, tol=1e-12)
    open("/proc/self/clear_refs", "w").write("5")
    before = memory("VmRSS")
    model.fit(X, y)
    return memory("VmHWM") - before
growth(made(2000))
X = made(rows)
size = sum(a.nbytes for a in (X.data, X.indices, X.indptr)) if each else X.nbytes
print(growth(X) / size)
"""


def growth(program, *words):
    if not os.access("/proc/self/clear_refs", os.W_OK):
        pytest.skip("the peak of memory cannot be taken back here")
    # What malloc has freed goes back at once, so that it cannot hide a copy.
    strict = {**os.environ, "MALLOC_TRIM_THRESHOLD_": "0", "MALLOC_MMAP_THRESHOLD_": "65536"}
    done = subprocess.run([sys.executable, "-c", program, *map(str, words)], text=True,
                          capture_output=True, env=strict)
    assert done.returncode == 0, done.stderr
    print(f"{words}: the peak grows by {float(done.stdout):.2%} of X")
    return float(done.stdout)


def long(*words):
    return pytest.param(*words, marks=pytest.mark.long)


@pytest.mark.parametrize("kind, rows, columns, each", [
    ("float32", 100_000, 600, 0), long("float64", 50_000, 600, 0), long("uint8", 100_000, 784, 0),
    long("csr float64 int64", 50_000, 2000, 200), long("csr", 100_000, 2000, 200),
    # Other shapes of the same types.
    long("float32", 200_000, 200, 0), long("float64", 200_000, 200, 0), long("uint8", 300_000, 600, 0),
    long("csr", 150_000, 1500, 150), long("csr float64", 100_000, 2000, 200),
    long("csr int64", 100_000, 2000, 200)])
def test_fit_copies_nothing(kind, rows, columns, each):
    assert growth(PROGRAM, kind, rows, columns, each, 2) < 0.05


# What the docs say of shapes for which training itself needs more than that.
@pytest.mark.parametrize("kind, rows, columns, each, classes, most", [
    long("uint8", 200_000, 200, 0, 2, 0.19), long("csr", 100_000, 60_000, 200, 2, 0.11),
    long("float32", 200_000, 200, 0, 10, 0.06), long("float32", 60_000, 784, 0, 10, 0.11)])
def test_training_takes_what_it_is_said_to(kind, rows, columns, each, classes, most):
    assert growth(PROGRAM, kind, rows, columns, each, classes) < most


def test_a_copy_would_be_seen():
    """A type that has to be converted shows as what it is."""
    program = PROGRAM.replace("model.fit(X, y)", "model.fit(np.asfortranarray(X), y)")
    assert growth(program, "float32", 30_000, 600, 0, 2) > 0.9


LEAKS = """
import sys, warnings
import numpy as np
from scipy import sparse
import temperlr
warnings.simplefilter("ignore")
X, y = np.random.RandomState(0).normal(size=(200, 50)), np.arange(200) % 3
names = np.array(["a", "b", "c"])[y]
folds = [(np.arange(200) % 2 == k, np.arange(200) % 2 != k) for k in (0, 1)]
def memory():
    return 1024 * int(next(line for line in open("/proc/self/status") if "VmRSS" in line).split()[1])
def refused(call, *args):
    try:
        call(*args)
    except ValueError:
        return
    raise SystemExit("not refused")
def stop(now):
    raise ValueError("stop")
def round():
    model = temperlr.TemperedLogisticRegression(max_iter=3)
    model.fit(X, names, sample_weight=np.ones(200)).predict_proba(X)
    model.fit(sparse.csr_matrix(X), y).predict(sparse.csr_matrix(X))
    tuned = temperlr.TemperedLogisticRegressionCV(0.5, 1, 1e-3, only=True, cv=2, max_iter=3, ask=2)
    tuned.fit(X[:, :5], names, trusted={0: "b"})
    tuned.set_params(cv=folds).fit(X[:, :5], y)
    refused(tuned.fit, X[:, :5], y, -np.ones(200))
    refused(tuned.set_params(callback=stop).fit, X[:, :5], y)
    refused(tuned.set_params(t1=-1).fit, X[:, :5], y)
    temperlr.find_label_issues(X[:, :5], names, t1=0.5, l2=1e-3, cv=2, max_iter=3)
    refused(lambda: temperlr.find_label_issues(X[:, :5], y, callback=stop))
    refused(lambda: temperlr.find_label_issues(X[:, :5], y, t1=-1))
    temperlr._temper.from_text(model._model.text()).describe()
    temperlr.add_noise(X, y, 0.3)
    temperlr.tempered_loss(X, 0, gradient=True)
    refused(model.fit, X * np.nan, y)
    refused(model.fit, X, y, -np.ones(200))
    refused(temperlr.TemperedLogisticRegression(loss="x").fit, X, y)
    refused(temperlr.TemperedLogisticRegression(callback=stop).fit, X, y)
    refused(temperlr._temper.data, X, y.astype(np.int32), ["one name"], None, None)
    refused(temperlr._temper.data, X, y[:5].astype(np.int32), None, None, None)
    refused(temperlr._temper.from_text, b"x")
for _ in range(20):
    round()
before = memory()
for _ in range(60):
    round()
print(memory() - before)
"""


def test_nothing_is_lost_in_calls_that_work_and_calls_that_fail():
    done = subprocess.run([sys.executable, "-c", LEAKS], text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    # X has 80 KB: one of them lost a round would be 4.8 MB.
    assert int(done.stdout) < 3_000_000
