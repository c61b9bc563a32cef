"""L1 penalties: seconds to an objective within 1e-4 of the minimum, beside LIBLINEAR (-s 6, by its command and by
scikit-learn's copy), glmnet, skglm and scikit-learn's saga.

All minimise the mean logistic loss plus l1 |w|_1 without an intercept, which is the one objective that all of them have
(LIBLINEAR penalises the intercept). Each is run with smaller and smaller tolerances until its weights, judged by one formula
in doubles, are within the gap; the seconds are those of that one run, in memory, on one thread. A second table has whole
commands, file to model. Where temper is not the fastest, a line says so.

    l1.py TEMPER FOLDER RESULT.json [--set NAME] [--quick] [--prepare]"""
import json
import os
import pickle
import shutil
import subprocess
import sys
import time
import warnings

import numpy
import scipy.io
import scipy.sparse
import sklearn.datasets
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from tune_peers import spambase_like, standardised, text_like

GAP = 1e-4
SHARES = (0.3, 0.1, 0.03, 0.01)  # of the smallest l1 at which all weights are 0
MOST_SECONDS = 12  # a peer that takes longer at one tolerance gets no smaller one
LADDER = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)


# ---- Data ------------------------------------------------------------------------------------------------------------

def a9a():
    path = os.path.join(os.environ.get("TEMPER_DATA", "../shared/data"), "a9a", "a9a.gz")
    if not os.path.exists(path):
        return None
    x, y = sklearn.datasets.load_svmlight_file(path, n_features=123)
    return x, (y > 0).astype(int)


def dense(rows, columns, used, seed=3):
    """Normal features with a correlation of 0.5 between neighbours, and labels by a few of them."""
    random = numpy.random.default_rng(seed)
    x = random.normal(size=(rows, columns))
    for j in range(1, columns):
        x[:, j] = 0.5 * x[:, j - 1] + numpy.sqrt(0.75) * x[:, j]
    w = numpy.zeros(columns)
    w[random.choice(columns, used, replace=False)] = random.normal(size=used)
    return x, (random.random(rows) < 1 / (1 + numpy.exp(-x @ w))).astype(int)


def spambase():
    x, y = spambase_like()
    return standardised(x), y


SETS = {"a9a": a9a, "spambase-like": spambase, "dense 5000 x 500": lambda: dense(5000, 500, 40),
        "dense 2000 x 20000": lambda: dense(2000, 20000, 60), "text 11000 x 60000": lambda: text_like(11000, 60000)}


def made(name, folder):
    """The rows of a set, made once; None where its file is not there."""
    path = os.path.join(folder, name.replace(" ", "-") + ".pickle")
    if os.path.exists(path):
        with open(path, "rb") as file:
            return pickle.load(file)
    data = SETS[name]()
    with open(path, "wb") as file:
        pickle.dump(data, file)
    return data


# ---- The objective -----------------------------------------------------------------------------------------------------

def objective(x, y, l1, w):
    margin = numpy.where(y == 1, 1, -1) * numpy.asarray(x @ w).ravel()
    return numpy.logaddexp(0, -margin).mean() + l1 * numpy.abs(w).sum()


def empty_penalty(x, y):
    """The smallest l1 at which w = 0 is the minimum."""
    return numpy.abs(numpy.asarray(x.T @ (y - 0.5)).ravel()).max() / len(y)


# ---- Solvers: each takes (problem, l1, tolerance) and returns (seconds, weights) -----------------------------------------

class Problem:
    """A data set in memory and as files."""

    def __init__(self, name, x, y, folder, temper):
        self.x, self.y, self.temper = x, y, temper
        self.sign = numpy.where(y == 1, 1, -1)
        self.folder = os.path.join(folder, name.replace(" ", "-"))
        os.makedirs(self.folder, exist_ok=True)
        self.svm = os.path.join(self.folder, "rows.svm")
        self.sparse = scipy.sparse.issparse(x)
        if self.sparse:  # LIBLINEAR and numba take no others
            x.indices, x.indptr = x.indices.astype(numpy.int32), x.indptr.astype(numpy.int32)
        if not os.path.exists(self.svm) and self.has_text():
            sklearn.datasets.dump_svmlight_file(x, y, self.svm, zero_based=False)
        numpy.savetxt(os.path.join(self.folder, "y"), y, fmt="%d")
        if self.sparse:
            scipy.io.mmwrite(os.path.join(self.folder, "x.mtx"), scipy.sparse.coo_matrix(x))
        else:
            x.T.tofile(os.path.join(self.folder, "x"))
            numpy.save(os.path.join(self.folder, "rows.npy"), x)
            numpy.save(os.path.join(self.folder, "labels.npy"), y.astype(numpy.int64))

    def has_text(self):
        """Whether the rows are worth a text file: a gigabyte is not."""
        return self.sparse or self.x.size < 10**7

    def rows(self):
        if self.sparse:
            return [self.svm]
        return [os.path.join(self.folder, "rows.npy"), "--labels", os.path.join(self.folder, "labels.npy")]


def temper_command(problem, l1, tolerance, rows, model):
    return [problem.temper, "train", *rows, "--loss", "logistic", "--l1", repr(l1), "--scale", "none", "--no-intercept",
            "--calibrate", "none", "--holdout", "none", "--threads", "1", "--tol", repr(tolerance), "--json", "--quiet",
            "--model", model]


def by_temper(problem, l1, tolerance):
    model = os.path.join(problem.folder, "model.temper")
    done = subprocess.run(temper_command(problem, l1, tolerance, problem.rows(), model), check=True, text=True,
                          stdout=subprocess.PIPE)
    weights = json.load(open(model, encoding="utf-8"))["weights"]
    w = numpy.zeros(problem.x.shape[1])
    w[:len(weights)] = weights
    return json.loads(done.stdout)["seconds"]["train"], w


def by_sklearn(solver):
    def run(problem, l1, tolerance):
        model = LogisticRegression(C=1 / (l1 * len(problem.y)), l1_ratio=1, solver=solver, fit_intercept=False,
                                   tol=tolerance, max_iter=100000 if solver == "liblinear" else 300, random_state=1)
        start = time.perf_counter()
        model.fit(problem.x, problem.y)
        return time.perf_counter() - start, model.coef_.ravel()
    return run


def by_skglm(problem, l1, tolerance):
    from skglm import SparseLogisticRegression
    x = problem.x.tocsc() if problem.sparse else numpy.asfortranarray(problem.x)
    few = numpy.r_[numpy.flatnonzero(problem.y == 0)[:50], numpy.flatnonzero(problem.y == 1)[:50]]
    SparseLogisticRegression(alpha=0.1, fit_intercept=False).fit(x[few], problem.sign[few])  # compiles it
    model = SparseLogisticRegression(alpha=l1, fit_intercept=False, tol=tolerance, max_iter=200)
    start = time.perf_counter()
    model.fit(x, problem.sign)
    return time.perf_counter() - start, model.coef_.ravel()


GLMNET = """
suppressMessages(library(glmnet)); suppressMessages(library(Matrix))
a <- commandArgs(TRUE); y <- scan(file.path(a[1], "y"), quiet = TRUE); n <- length(y)
x <- if (a[4] == "dense") { f <- file.path(a[1], "x"); matrix(readBin(f, "double", file.size(f) / 8), n)
     } else as(readMM(file.path(a[1], "x.mtx")), "CsparseMatrix")
l <- as.numeric(a[2]); used <- proc.time()[[3]]
fit <- glmnet(x, y, family = "binomial", lambda = exp(seq(log(as.numeric(a[5])), log(l), length.out = 8)), standardize = FALSE,
              intercept = FALSE, thresh = as.numeric(a[3]), maxit = 1e6)
cat(proc.time()[[3]] - used, "\\n"); cat(as.numeric(coef(fit)[-1, ncol(coef(fit))]), sep = "\\n")
"""


def by_glmnet(problem, l1, tolerance):
    """A path of eight penalties down to the wanted one, as its authors advise."""
    if not shutil.which("Rscript"):
        raise ImportError("Rscript")
    done = subprocess.run(["Rscript", "-e", GLMNET, problem.folder, repr(l1), repr(tolerance * 1e-2),
                           "sparse" if problem.sparse else "dense", repr(float(empty_penalty(problem.x, problem.y)))],
                          check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.split()
    return float(done[0]), numpy.array(done[1:], dtype=float)


SOLVERS = {"temper": by_temper, "LIBLINEAR (scikit-learn)": by_sklearn("liblinear"), "skglm": by_skglm,
           "glmnet": by_glmnet, "saga (scikit-learn)": by_sklearn("saga")}


# ---- Measurements --------------------------------------------------------------------------------------------------------

def to_gap(solver, problem, l1, least):
    """(seconds, gap, tolerance) of the first tolerance whose weights are within GAP; of the last one if none is."""
    for tolerance in LADDER:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            seconds, w = solver(problem, l1, tolerance)
        gap = objective(problem.x, problem.y, l1, w) / least - 1
        if gap <= GAP or seconds > MOST_SECONDS:
            break
    return seconds, gap, tolerance


def whole_commands(problem, l1, tolerance):
    """Wall seconds from the text file to the model, of temper and of liblinear-train -s 6."""
    model = os.path.join(problem.folder, "whole")
    commands = {"temper": temper_command(problem, l1, tolerance, [problem.svm], model)}
    if shutil.which("liblinear-train"):
        commands["liblinear-train -s 6"] = ["liblinear-train", "-q", "-s", "6", "-c", repr(1 / (l1 * len(problem.y))), "-e",
                                            "0.001", problem.svm, model]
    seconds = {}
    for name, command in commands.items():
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds[name] = time.perf_counter() - start
    return seconds


def measure_set(name, problem, shares, solvers):
    rows = []
    for share in shares:
        l1 = share * float(empty_penalty(problem.x, problem.y))
        _, best = by_temper(problem, l1, 1e-8)
        least = objective(problem.x, problem.y, l1, best)
        row = {"set": name, "share": share, "l1": l1, "objective": least, "nonzero": int((best != 0).sum()), "seconds": {},
               "gap": {}}
        for solver, run in solvers.items():
            try:
                row["seconds"][solver], row["gap"][solver], tolerance = to_gap(run, problem, l1, least)
            except ImportError as missing:
                print(f"{solver} is not installed: {missing}", file=sys.stderr)
                continue
            if solver == "temper" and problem.has_text():
                row["whole"] = whole_commands(problem, l1, tolerance)
        rows.append(row)
        print_row(row)
    return rows


def print_row(row):
    cells = [f"{row['set']:20} l1 {row['share']:g} of the largest, {row['nonzero']} weights:"]
    for solver, seconds in row["seconds"].items():
        missed = f" (gap {row['gap'][solver]:.0e})" if row["gap"][solver] > GAP else ""
        cells.append(f"{solver} {seconds:.3f} s{missed}")
    if "whole" in row:
        cells.append("whole commands: " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in row["whole"].items()))
    print("; ".join(cells), flush=True)
    reached = {s: t for s, t in row["seconds"].items() if row["gap"][s] <= GAP}
    fastest = min(reached, key=reached.get)
    if fastest != "temper":
        print(f"  LOSES to {fastest}: {reached['temper'] / reached[fastest]:.1f} times its seconds", flush=True)


def main():
    arguments = sys.argv[1:]
    wanted = arguments[arguments.index("--set") + 1] if "--set" in arguments else None
    shares = SHARES[1:3] if "--quick" in arguments else SHARES
    temper, folder, result = arguments[:3]
    rows = []
    with threadpool_limits(1):
        os.makedirs(folder, exist_ok=True)
        for name in SETS:
            if wanted and wanted != name:
                continue
            data = made(name, folder)
            if data is None:
                print(f"{name}: the file is not there; TEMPER_DATA names the folder", file=sys.stderr)
                continue
            problem = Problem(name, *data, folder, os.path.abspath(temper))
            if "--prepare" not in arguments:
                rows += measure_set(name, problem, shares, SOLVERS)
    with open(result, "w", encoding="utf-8") as file:
        json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
