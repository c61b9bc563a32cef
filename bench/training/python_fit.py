"""The Python estimator against LogisticRegression, on one thread: how long until the objective is
within 1e-4 of the smallest, and what a call costs on a table of 10 x 5.

    python_fit.py RECORD [--only SET] [--cap SECONDS]

Each fit runs in a child that shares the rows, so that it can be stopped when it takes too long.
Tolerances are those of bench/training/train_sets.json, or tighter where they do not get there."""
import argparse
import json
import multiprocessing
import os
import pathlib
import sys
import time
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"  # before NumPy is loaded

import numpy
import scipy.sparse
import sklearn
from sklearn.linear_model import LogisticRegression

import temperlr

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # the folders of bench/ import each other
from training import train_data  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
CLOSE = 1e-4  # relative, in the objective
CAP = 30  # processor seconds, unless --cap says otherwise
ROUNDS, LONG = 5, 2  # rounds; what takes more seconds than that is run once
PEERS = ("lbfgs", "newton-cholesky", "saga")


class Set:
    """Rows, a penalty, those who train on them, and how long each may."""

    def __init__(self, x, y, l2, cap):
        self.x, self.y, self.l2, self.cap = x, y, l2, cap
        self.classes = numpy.unique(y)

    def estimator(self, name, tol, intercept):
        if name == "temper":
            return temperlr.TemperedLogisticRegression(loss="logistic", l2=self.l2, tol=tol, calibrate="none",
                                                       scale="none", fit_intercept=intercept,
                                                       max_iter=100000)
        # (1/2)|w|^2 + C sum of losses, over C N
        return LogisticRegression(C=1 / (self.l2 * self.x.shape[0]), solver=name, tol=tol,
                                  fit_intercept=intercept, max_iter=100000)

    def objective(self, w, b):
        """In doubles, some thousand rows at a time."""
        total = 0.0
        for i in range(0, self.x.shape[0], 4096):
            a = self.x[i:i + 4096].astype(float) @ w.T + b
            rows = numpy.hstack([-a / 2, a / 2]) if len(w) == 1 else a
            label = numpy.searchsorted(self.classes, self.y[i:i + 4096])
            total += temperlr.tempered_loss(rows, label, loss="logistic").sum()
        return total / self.x.shape[0] + self.l2 / 2 * (w * w).sum()

    def child(self, connection, *what):
        try:
            connection.send(self.train(*what))
        except Exception as fault:  # told to the parent, so that it is not taken for slowness
            connection.send(fault)

    def train(self, name, tol, intercept):
        model = self.estimator(name, tol, intercept)
        start = time.process_time()
        model.fit(self.x, self.y)
        seconds = time.process_time() - start
        w, b = model.coef_.astype(float), numpy.atleast_1d(model.intercept_).astype(float)
        return seconds, self.objective(w, b)

    def fit(self, name, tol, intercept=True, cap=None):
        """(processor seconds, objective), or None after `cap` seconds."""
        cap = cap or self.cap
        fork = multiprocessing.get_context("fork")
        ours, theirs = fork.Pipe(duplex=False)
        process = fork.Process(target=self.child, args=(theirs, name, tol, intercept))
        process.start()
        answer = None
        while process.is_alive() and not ours.poll(0.05):
            if used_seconds(process.pid) > cap:
                process.kill()
        if ours.poll():
            answer = ours.recv()
        process.join()
        if isinstance(answer, Exception):
            raise answer
        return answer


def used_seconds(pid):
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except FileNotFoundError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Record:
    def __init__(self, cap):
        self.lines, self.missing, self.section, self.cap = [], {}, "", cap

    def begin(self, title):
        self.section = title
        print(f"\n{title}", flush=True)

    def ratio(self, what, theirs, ours, unit="s"):
        value = (self.cap if theirs is None else theirs) / ours
        met = None if theirs is None and value < 1 else value >= 1
        self.lines.append({"section": self.section, "what": what, "value": round(value, 3),
                           "ours": ours, "theirs": theirs, "target": 1, "direction": "at least",
                           "met": met, "bound": theirs is None})
        shown = f">{self.cap}" if theirs is None else f"{theirs:.4g}"
        print(f"  {what:<58} {shown:>8} / {ours:8.4g} {unit} = {'>' if theirs is None else ''}"
              f"{value:.1f}x  {'met' if met else 'MISSED' if met is False else 'not known'}", flush=True)


def tighten(data, name, tol, intercept, star):
    """The first tolerance from `tol` down that gets there, and what it gave."""
    answer = data.fit(name, tol, intercept)
    while answer and (answer[1] - star) / star > CLOSE and tol > 1e-9:
        tol *= 0.3
        answer = data.fit(name, tol, intercept)
    return tol, answer


def contest(record, data, names, tol, intercept):
    """Rounds in turns; the best of each."""
    star = data.fit("temper", 1e-7, intercept, cap=600)[1]
    best, chosen = {}, {}
    for name in names:
        chosen[name], best[name] = tighten(data, name, tol[name], intercept, star)
    for _ in range(ROUNDS - 1):
        for name in names:
            if best[name] is None or best[name][0] > LONG:
                continue
            answer = data.fit(name, chosen[name], intercept)
            if answer and answer[0] < best[name][0]:
                best[name] = answer
    ours = best["temper"]
    for name in names[1:]:
        theirs = best[name]
        gaps = [(answer[1] - star) / star for answer in (ours, theirs) if answer]
        note = ", gaps " + " and ".join(f"{gap:.0e}" for gap in gaps)
        late = any(gap > CLOSE for gap in gaps)
        record.ratio(f"{name}{'' if intercept else ', no intercept'}{note}"
                     f"{' (NOT REACHED)' if late else ''}", theirs and theirs[0], ours[0])


def narrow(x, y):
    """Sparse rows with the indices that all solvers of scikit-learn take."""
    if scipy.sparse.issparse(x):
        x.indices, x.indptr = x.indices.astype(numpy.int32), x.indptr.astype(numpy.int32)
    return x, y


def trainings(record, only):
    data = train_data.find_data()
    for name, entry in json.loads((HERE.parent / "training" / "train_sets.json").read_text()).items():
        if only not in (None, name):
            continue
        record.begin(f"TemperedLogisticRegression.fit: {entry['title']}")
        try:
            if data is None:
                raise FileNotFoundError
            x, y = narrow(*train_data.MAKERS[name](data)[0])
        except FileNotFoundError:
            record.missing[f"TemperedLogisticRegression on {name}"] = "its data is not here (TEMPER_DATA names its folder)"
            print("  the data is not here (TEMPER_DATA names its folder): not compared")
            continue
        rows = Set(x, y, entry["l2"], record.cap)
        peers = [peer for peer in PEERS if peer in entry["tol"]]
        contest(record, rows, ["temper", *peers], entry["tol"], True)
        # liblinear penalises the intercept, and of many classes it is another objective.
        if len(rows.classes) == 2:
            tol = {**entry["tol"], "liblinear": entry["tol"]["liblinear -s 0"]}
            contest(record, rows, ["temper", "liblinear"], tol, False)


def call_seconds(calls, rounds=15, repeats=200):
    """The best mean of each call, in turns."""
    best = [float("inf")] * len(calls)
    for _ in range(rounds):
        for i, call in enumerate(calls):
            start = time.process_time()  # other programs do not count
            for _ in range(repeats):
                call()
            best[i] = min(best[i], (time.process_time() - start) / repeats)
    return best


def overhead(record):
    record.begin(f"A call on 10 x 5, against LogisticRegression of scikit-learn {sklearn.__version__}")
    rng = numpy.random.RandomState(0)
    x, y = rng.normal(size=(10, 5)), numpy.array([0, 1] * 5)
    ours, theirs = temperlr.TemperedLogisticRegression(), LogisticRegression()
    ours.fit(x, y)
    theirs.fit(x, y)
    for what, repeats in (("fit", 40), ("predict", 400), ("predict_proba", 400),
                          ("decision_function", 400)):
        rest = (x, y) if what == "fit" else (x,)
        mine, other = call_seconds([lambda: getattr(ours, what)(*rest),
                                    lambda: getattr(theirs, what)(*rest)], repeats=repeats)
        record.ratio(what, other * 1e6, mine * 1e6, "us")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("record", type=pathlib.Path)
    parser.add_argument("--only", help="one set, or 'calls'")
    parser.add_argument("--cap", type=int, default=CAP, help="seconds after which a fit is stopped")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    record = Record(options.cap)
    if options.only in (None, "calls"):
        overhead(record)
    trainings(record, options.only)
    options.record.write_text(json.dumps({"lines": record.lines, "missing": record.missing}, indent=1) + "\n")
    print(f"\nrecord: {options.record}")


if __name__ == "__main__":
    sys.exit(main())
