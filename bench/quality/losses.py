#!/usr/bin/env python3
"""How the robust losses compare under label noise: bench/quality/losses.py [--seeds N] [--sets NAME,...]

Sets of scikit-learn, three quarters of the rows for training, with labels of these flipped at random (20, 40 %) or to the
next class (20, 40 %); accuracy on clean test rows, in points, mean over the seeds. No parameter is tuned: each loss has its
standard values, `trimmed` also the true share. Needs the Python package (make python).
"""
import argparse
import sys

import numpy as np
import temper
from sklearn import datasets
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split

SETS = {"digits": datasets.load_digits, "wine": datasets.load_wine, "breast_cancer": datasets.load_breast_cancer}
NOISES = [("clean", 0.0), ("random", 0.2), ("random", 0.4), ("pair", 0.2), ("pair", 0.4)]
METHODS = {"logistic": ("logistic", None), "tempered": ("tempered", None), "gce 0.3": ("gce", 0.3), "sce": ("sce", None),
           "trimmed": ("trimmed", None), "trimmed true": ("trimmed:{rate}", None), "forward": ("forward", None)}


def flip(y, classes, kind, rate, rng):
    """Labels of a share of the rows are replaced: by another class at random, or by the next one."""
    noisy = y.copy()
    rows = rng.permutation(len(y))[: round(rate * len(y))]
    step = rng.integers(1, classes, size=len(rows)) if kind == "random" else 1
    noisy[rows] = (y[rows] + step) % classes
    return noisy


def accuracy(method, rate, train, test):
    loss, t1 = METHODS[method]
    model = temper.TemperedLogisticRegression(0.3 if t1 is None else t1, loss=loss.format(rate=rate))
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
        for kind, rate in NOISES:
            runs = [measure(name, kind, rate, seed) for seed in range(options.seeds)]
            mean = {m: np.mean([run[m] for run in runs]) for m in METHODS}
            best = max(mean.values())
            for m in METHODS:
                regret[m].append(best - mean[m])
            print(f"{name:14} {kind:6} {100 * rate:3.0f} " + " ".join(f"{mean[m]:12.2f}" for m in METHODS))
    print(f"{'mean regret':25} " + " ".join(f"{np.mean(regret[m]):12.2f}" for m in METHODS))
    print(f"{'worst regret':25} " + " ".join(f"{np.max(regret[m]):12.2f}" for m in METHODS))


main()
