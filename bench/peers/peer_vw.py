"""Vowpal Wabbit by its own L-BFGS, two classes: peer_vw.py FOLDER L2 TOL OUT.npz

Writes the rows as its text once, has it made into its cache, and times what runs on the cache alone.
Prints {"seconds": ...}; weights go to OUT.npz."""
import json
import pathlib
import sys
import time

import numpy
import scipy.sparse
import vowpalwabbit

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # the folders of bench/ import each other
from training import train_data  # noqa: E402

CONSTANT = 11650396  # where it keeps the intercept
MOST_PASSES = 2000


def write(folder, x, y):
    """Features are their numbers, from 1."""
    path = folder / "train.vw"
    if path.exists():
        return path
    rows = scipy.sparse.csr_matrix(x)
    sign = numpy.where(y == y.max(), 1, -1)
    with open(path.with_suffix(".part"), "w", encoding="ascii") as out:
        for i in range(rows.shape[0]):
            part = slice(rows.indptr[i], rows.indptr[i + 1])
            entries = zip(rows.indices[part] + 1, rows.data[part])
            out.write(f"{sign[i]} | " + " ".join(f"{j}:{v:.9g}" for j, v in entries) + "\n")
    path.with_suffix(".part").rename(path)
    return path


def bits(columns):
    """The smallest table of weights in which the intercept meets no feature: it is gone through in every pass."""
    return next(b for b in range(10, 32) if 2 ** b > columns and CONSTANT % 2 ** b > columns)


def run(path, options):
    """All its passes over the file, with no rows held out."""
    return vowpalwabbit.Workspace(f"-d {path} --cache_file {path}.cache --holdout_off --quiet {options}")


def main():
    folder, l2, tol, out = pathlib.Path(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
    x, y = train_data.load(folder, "train")
    path = write(folder, x, y)
    loss = f"--loss_function logistic --bit_precision {bits(x.shape[1])}"
    run(path, f"{loss} -k --passes 2").finish()  # makes the cache
    start = time.process_time()
    model = run(path, f"{loss} --bfgs --mem 15 --passes {MOST_PASSES} --termination {tol:g} "
                      f"--l2 {l2 * x.shape[0]:.17g}")
    seconds = time.process_time() - start
    w = numpy.array([[model.get_weight(j + 1) for j in range(x.shape[1])]], float)
    numpy.savez(out, w=w, b=numpy.array([model.get_weight(CONSTANT % 2 ** bits(x.shape[1]))], float))
    model.finish()
    print(json.dumps({"seconds": seconds}))


main()
