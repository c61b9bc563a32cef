"""Every call of the package, with each allocation and each call on files of its extension failing once.

Run by test_faults.py with fault_library.c preloaded: fault_calls.py FOLDER POINTS (0: all). Prints one line for each call:
its name, how many points there are and were tried, and how they ended."""
import collections
import ctypes
import pathlib
import sys
import warnings

import numpy as np
from scipy import sparse

import temperlr

warnings.simplefilter("ignore")
library = ctypes.CDLL(None)
library.fault_arm.argtypes = [ctypes.c_int, ctypes.c_long]
library.fault_disarm.restype = ctypes.c_long
KINDS = {"allocation": (1, MemoryError), "file": (2, OSError)}

folder, points = pathlib.Path(sys.argv[1]), int(sys.argv[2])
rng = np.random.RandomState(0)
X = rng.normal(size=(60, 4))
y = np.where(X[:, 0] + rng.normal(size=60) > 0, "yes", "no")
X_sparse = sparse.csr_matrix(X)
fitted = temperlr.TemperedLogisticRegression().fit(X, y)
fitted.save(folder / "model")
(folder / "d.csv").write_text("a,b,label\n" + "".join(f"{a:.3f},{b:.3f},{c}\n" for a, b, c in zip(X[:, 0], X[:, 1], y)))
votes = tuple(zip(*[(f"t{i // 3}", f"w{i % 3}", "ab"[(i // 3 + (i % 7 == 0)) % 2]) for i in range(30)]))


def train(data):
    return temperlr.TemperedLogisticRegression(n_jobs=1).fit(data, y).coef_


CALLS = {
    "fit": lambda: train(X), "fit sparse": lambda: train(X_sparse),
    "fit CV": lambda: temperlr.TemperedLogisticRegressionCV(grid="t1=0.5,1 t2=1 l2=1", cv=2).fit(X, y).coef_,
    "predict": lambda: fitted.predict(X), "predict_proba": lambda: fitted.predict_proba(X_sparse),
    "find_label_issues": lambda: temperlr.find_label_issues(X, y).score,
    "add_noise": lambda: temperlr.add_noise(X, y, 0.2, random_state=1).y,
    "save": lambda: fitted.save(folder / "out"), "load": lambda: temperlr.load(folder / "model").coef_,
    "read": lambda: temperlr.read(folder / "d.csv", label="label").feature_names,
    "tempered_loss": lambda: temperlr.tempered_loss(X[:, :2], np.zeros(60, dtype=int), 0.5, 1.2),
    "consensus": lambda: temperlr.consensus(votes).label,
}


def same(left, right):
    return left is right or np.array_equal(np.asarray(left), np.asarray(right))


def attempt(call, kind, expected, number):
    """How a call ends whose n-th call of the system fails; the name of a fault that is none is "?"."""
    before = (folder / "out").read_bytes() if (folder / "out").exists() else None
    library.fault_arm(kind, number)
    try:
        result = call()
        calls, ended = library.fault_disarm(), "no effect"
    except BaseException as error:
        calls, ended = library.fault_disarm(), type(error).__name__
        assert isinstance(error, expected), f"{ended}: {error}"
        assert str(error) or expected is MemoryError, "no message"  # as that of Python itself
        result = None
    if before is not None and (folder / "out").exists():
        assert (folder / "out").read_bytes() == before, "the saved model has changed"
    return result, calls, ended


def main():
    fitted.save(folder / "out")
    for name, call in CALLS.items():
        for word, (kind, expected) in KINDS.items():
            try:
                reference, calls, _ = attempt(call, kind, expected, 0)
            except (TypeError, AttributeError, ValueError) as error:
                sys.exit(f"{name}: {error}")
            step = max(1, calls // points) if points else 1
            ends = collections.Counter()
            for number in range(1, calls + 1, step):
                result, _, ended = attempt(call, kind, expected, number)
                assert ended != "no effect" or reference is None or same(result, reference), f"{name} {word} {number}"
                ends[ended] += 1
            print(name, word, calls, sum(ends.values()), dict(ends), sep="; ")
    left = sorted(path.name for path in folder.iterdir() if path.name.startswith("."))
    assert not left, f"files are left: {left}"


main()
