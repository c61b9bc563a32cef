"""glmnet (R): peer_glmnet.py FOLDER L2 TOL OUT.npz. Its objective is ours: mean loss and lambda/2 |w|^2, the intercept free.

Its tolerance is of the change of the deviance, so the ladder is squared. Prints {"seconds": ...}."""
import json
import pathlib
import subprocess
import sys

import numpy
import scipy.sparse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # the folders of bench/ import each other
from training import train_data  # noqa: E402

SCRIPT = pathlib.Path(__file__).with_suffix(".R")


def write(folder, x, y):
    """By columns, as R has them."""
    if (folder / "glmnet-shape").exists():
        return
    entries = -1
    if scipy.sparse.issparse(x):
        columns = x.tocsc()
        columns.indptr.astype(numpy.int32).tofile(folder / "glmnet-p")
        columns.indices.astype(numpy.int32).tofile(folder / "glmnet-i")
        columns.data.astype(float).tofile(folder / "glmnet-x")
        entries = columns.nnz
    else:
        numpy.ascontiguousarray(x.T, float).tofile(folder / "glmnet-x")
    numpy.unique(y, return_inverse=True)[1].astype(numpy.int32).tofile(folder / "glmnet-y")
    (folder / "glmnet-shape").write_text(f"{x.shape[0]} {x.shape[1]} {entries}\n", encoding="ascii")


def main():
    folder, l2, tol, out = pathlib.Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]), sys.argv[4]
    x, y = train_data.load(folder, "train")
    write(folder, x, y)
    done = subprocess.run(["Rscript", "--vanilla", SCRIPT, folder, l2, repr(tol ** 2)], check=True, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    seconds = float(done.stdout.split()[0])
    found = numpy.fromfile(folder / "glmnet-w").reshape(-1, x.shape[1] + 1)
    numpy.savez(out, w=found[:, 1:], b=found[:, 0])
    print(json.dumps({"seconds": max(seconds, 1e-3)}))


main()
