#!/usr/bin/env python3
"""How the robust losses compare under label noise: bench/quality/losses.py [--seeds N] [--sets NAME,...]

Sets of scikit-learn, three quarters of the rows for training, with labels of these flipped at random (20, 40 %) or to the
next class (20, 40 %); accuracy on clean test rows, in points, mean over the seeds. No parameter is tuned: each loss has its
standard values; "trimmed true" is given the share of wrong labels, which nobody knows, and counts for no regret. tempered is
(0.3, 1), which is gce at t1 = 0.3 too. Needs the Python package (make python).
"""
import argparse
import sys

import numpy as np
import temperlr
from sklearn import datasets
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split

SETS = {"digits": datasets.load_digits, "wine": datasets.load_wine, "breast_cancer": datasets.load_breast_cancer}
NOISES = [("clean", 0.0), ("random", 0.2), ("random", 0.4), ("pair", 0.2), ("pair", 0.4)]
METHODS = {"logistic": ("logistic", None), "tempered": ("tempered", None), "gce 0.7": ("gce", 0.7), "sce": ("sce", None),
           "trimmed": ("trimmed", None), "trimmed true": ("trimmed:{rate}", None), "forward": ("forward", None)}

ORACLE = "trimmed true"


def flip(y, classes, kind, rate, rng):
    """Labels of a share of the rows are replaced: by another class at random, or by the next one."""
    noisy = y.copy()
    rows = rng.permutation(len(y))[: round(rate * len(y))]
    step = rng.integers(1, classes, size=len(rows)) if kind == "random" else 1
    noisy[rows] = (y[rows] + step) % classes
    return noisy


def noises_of(name):
    """Two classes have one other class: pairs are the same as random flips."""
    two = len(np.unique(SETS[name](return_X_y=True)[1])) == 2
    return [noise for noise in NOISES if not (two and noise[0] == "pair")]


def accuracy(method, rate, train, test):
    loss, t1 = METHODS[method]
    model = temperlr.TemperedLogisticRegression(0.3 if t1 is None else t1, loss=loss.format(rate=rate))
    return 100 * model.fit(*train).score(*test)


def measure(name, kind, rate, seed):
    X, y = SETS[name](return_X_y=True)
    X, test_X, y, test_y = train_test_split(X, y, test_size=0.25, random_state=seed, stratify=y)
    classes = int(y.max()) + 1
    noisy = flip(y, classes, kind, rate, np.random.default_rng(1000 + seed))
    return {method: accuracy(method, rate, (X, noisy), (test_X, test_y)) for method in METHODS}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--sets", default=",".join(SETS))
    options = parser.parse_args()
    if not sys.warnoptions:
        import warnings
        warnings.simplefilter("ignore", ConvergenceWarning)
    print(f"{'set':14} {'noise':10} " + " ".join(f"{m:>12}" for m in METHODS))
    regret = {method: [] for method in METHODS}
    for name in options.sets.split(","):
        for kind, rate in noises_of(name):
            runs = [measure(name, kind, rate, seed) for seed in range(options.seeds)]
            mean = {m: np.mean([run[m] for run in runs]) for m in METHODS}
            best = max(value for m, value in mean.items() if m != ORACLE)
            for m in METHODS:
                regret[m].append(best - mean[m])
            print(f"{name:14} {kind:6} {100 * rate:3.0f} " + " ".join(f"{mean[m]:12.2f}" for m in METHODS))
    for title, summary in (("mean regret", np.mean), ("worst regret", np.max)):
        print(f"{title:25} " + " ".join(f"{'-' if m == ORACLE else f'{summary(regret[m]):.2f}':>12}" for m in METHODS))


main()
