"""Quality on the judged data sets (package_data.py), on which no default was chosen: probabilities and regret.

    judged_quality.py [--quick] [--probabilities] [--set NAME]...

Probabilities: ECE (15 bins of equal width) and log loss of the defaults with clean labels, beside LogisticRegression of
scikit-learn (C = 1) on standardised features. Required: mean ECE at most that of LogisticRegression, mean log loss at
most 1.02 times it, and no label that calibration changes.

Regret: points of accuracy on clean rows that a method loses, after training on noisy labels, against the best of a grid
of temperatures and penalties. Methods: the default, the tuned estimator, LogisticRegression, LogisticRegressionCV and
cleanlab's CleanLearning. --quick has a third of the sets, two kinds of noise and one seed; --probabilities leaves the
regret out. Exit 1: a requirement is not met."""
import argparse
import functools
import os
import statistics
import sys
import time
import warnings

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")  # before numpy is imported

import numpy  # noqa: E402
import temperlr  # noqa: E402
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV  # noqa: E402
from sklearn.metrics import log_loss  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402

import label_noise  # noqa: E402
import package_data  # noqa: E402
import regret  # noqa: E402

FULL = {"seeds": (1, 2), "kinds": ("clean", "random 20 %", "large margin 10 %", "feature 20 %")}
QUICK = {"seeds": (1,), "kinds": ("clean", "random 20 %")}
PROBABILITY_SEEDS = (1, 2, 3)
PROBABILITY_ROWS, REGRET_ROWS, TEST_ROWS = 1200, 600, 1800
GRID = [(t1, t2, share) for t1 in (0.1, 0.3, 0.5, 0.7, 1) for t2 in (1, 1.12) for share in (0.1, 1, 10)]
BINS = 15
DEFAULT, TUNED, PEER = "temper, default", "temper, tuned", "LogisticRegression"


def standardised(model):
    return make_pipeline(StandardScaler(), model)


# ---- Probabilities ----------------------------------------------------------------------------------------------


def calibration_error(probabilities, y):
    """Mean of |confidence - accuracy| over bins of the largest probability, weighted by their rows."""
    confidence, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == y
    bins = numpy.minimum((confidence * BINS).astype(int), BINS - 1)
    gaps = numpy.bincount(bins, confidence - right, minlength=BINS)
    return float(numpy.abs(gaps).sum() / len(y))


def probability_figures(model, train, test):
    """Classes that the training rows do not have are no test rows either."""
    model.fit(*train)
    seen = numpy.isin(test[1], model.classes_)
    x, y = test[0][seen], numpy.searchsorted(model.classes_, test[1][seen])
    probabilities = model.predict_proba(x)
    return {"ece": calibration_error(probabilities, y), "accuracy": float((model.predict(x) == test[1][seen]).mean()),
            "log loss": float(log_loss(y, numpy.maximum(probabilities, 1e-15), labels=range(len(model.classes_))))}


def changed_labels(train, test):
    """How many labels differ from those of the same model without calibration; or, where it cannot be left out, from
    those of its activations."""
    model = temperlr.TemperedLogisticRegression().fit(*train)
    if "calibrate" in model.get_params():
        other = temperlr.TemperedLogisticRegression(calibrate="none").fit(*train).predict(test[0])
    else:
        scores = model.decision_function(test[0])
        other = model.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]
    return int((model.predict(test[0]) != other).sum())


def mean_figures(found):
    return {who: {key: statistics.fmean(one[key] for one in each) for key in each[0]} for who, each in found.items()}


def judge_probabilities(sets):
    """Prints a line for each set and the means; returns the requirements as (text, holds)."""
    lines, changed = [], 0
    print("\nProbabilities, clean labels; temper's default / LogisticRegression (mean over "
          f"{len(PROBABILITY_SEEDS)} seeds, up to {PROBABILITY_ROWS} rows)\n")
    print(f"{'set':18} {'ECE':>15} {'log loss':>15} {'accuracy, %':>15}")
    for name, loaded in sets.items():
        found = {DEFAULT: [], PEER: []}
        for seed in PROBABILITY_SEEDS:
            train, test = package_data.split(*loaded, seed, PROBABILITY_ROWS, TEST_ROWS)
            found[DEFAULT].append(probability_figures(temperlr.TemperedLogisticRegression(), train, test))
            found[PEER].append(probability_figures(standardised(LogisticRegression(max_iter=1000)), train, test))
            changed += changed_labels(train, test)
        means = mean_figures(found)
        lines.append(means)
        print(f"{name:18} {pair(means, 'ece', 1, '.3f')} {pair(means, 'log loss', 1, '.3f')} "
              f"{pair(means, 'accuracy', 100, '.1f')}", flush=True)
    mean = mean_figures({who: [line[who] for line in lines] for who in (DEFAULT, PEER)})
    print(f"{'mean':18} {pair(mean, 'ece', 1, '.4f')} {pair(mean, 'log loss', 1, '.4f')} "
          f"{pair(mean, 'accuracy', 100, '.2f')}")
    errors = mean[DEFAULT]["ece"], mean[PEER]["ece"]
    ratio = mean[DEFAULT]["log loss"] / mean[PEER]["log loss"]
    return [(f"mean ECE {errors[0]:.4f} <= {errors[1]:.4f}", errors[0] <= errors[1]),
            (f"mean log loss {ratio:.4f} <= 1.02 times LogisticRegression's", ratio <= 1.02),
            (f"labels that calibration changes: {changed}", changed == 0)]


def pair(means, key, factor, form):
    return f"{factor * means[DEFAULT][key]:{form}} / {factor * means[PEER][key]:{form}}".rjust(15)


# ---- Regret -----------------------------------------------------------------------------------------------------


def clean_learning():
    from cleanlab.classification import CleanLearning
    return CleanLearning(standardised(LogisticRegression(max_iter=1000)), seed=1, cv_n_folds=3,
                         find_label_issues_kwargs={"n_jobs": 1})


METHODS = {
    DEFAULT: temperlr.TemperedLogisticRegression,
    TUNED: temperlr.TemperedLogisticRegressionCV,
    PEER: lambda: standardised(LogisticRegression(max_iter=1000)),
    "LogisticRegressionCV": lambda: standardised(LogisticRegressionCV(max_iter=1000)),
    "CleanLearning": clean_learning,
}


def accuracy(make, train, test):
    """(accuracy, why it could not fit). A method that cannot fit (a fold without some class, nothing learnt) predicts
    the most frequent label. Labels are numbered again, as cleanlab requires each number to be there."""
    classes, codes = numpy.unique(train[1], return_inverse=True)
    failure = None
    try:
        predicted = make().fit(train[0], codes).predict(test[0])
    except (ValueError, RuntimeError) as error:
        predicted, failure = numpy.bincount(codes).argmax(), error
    return float((classes[predicted] == test[1]).mean()), failure


def grid_accuracies(train, test):
    l2 = temperlr.TemperedLogisticRegression().fit(*train).l2_
    extra = {"calibrate": "none"} if "calibrate" in temperlr.TemperedLogisticRegression().get_params() else {}
    found = {}
    for t1, t2, share in GRID:
        make = functools.partial(temperlr.TemperedLogisticRegression, t1, t2, share * l2, **extra)
        found[f"({t1:g}, {t2:g}) {share:g}"], _ = accuracy(make, train, test)
    return found


class RegretRun:
    """Measures all methods case by case."""

    def __init__(self):
        self.measured, self.failures, self.seconds = [], [], dict.fromkeys(METHODS, 0.0)

    def add_case(self, about, noisy, test):
        found = {}
        for method, make in METHODS.items():
            start = time.process_time()
            found[method], failure = accuracy(make, noisy, test)
            self.seconds[method] += time.process_time() - start
            if failure:
                self.failures.append(f"{method} on {', '.join(str(value) for value in about.values())}: {failure}")
        self.measured.append({**about, "accuracy": {**found, **grid_accuracies(noisy, test)}})

    def add_set(self, name, loaded, plan):
        kinds = label_noise.kinds_for(loaded[1].max() + 1)
        for seed in plan["seeds"]:
            train, test = package_data.split(*loaded, seed, REGRET_ROWS, TEST_ROWS)
            for kind in (kind for kind in plan["kinds"] if kind in kinds):
                noisy = train[0], kinds[kind](*train, seed)
                self.add_case({"set": name, "noise": kind, "seed": seed}, noisy, test)

    def print(self):
        fits, candidates = len(self.measured), [name for name in self.measured[0]["accuracy"] if name not in METHODS]
        cases, seeds = (len({key(one) for one in self.measured}) for key in (regret.case_of, lambda one: one["seed"]))
        print(f"\nRegret after training on up to {REGRET_ROWS} rows: {cases} cases, {seeds} seed(s)\n")
        print(*regret.regret_table(self.measured, METHODS, candidates), "", sep="\n")
        for method in (method for method in METHODS if method != PEER):
            gain, error = regret.difference(self.measured, method, PEER)
            print(f"{method}: {gain:+.2f} points against LogisticRegression, standard error over sets {error:.2f}")
        each = (f"{method} {total / fits:.3f}" for method, total in self.seconds.items())
        print("processor seconds of a fit:", ", ".join(each))
        print(f"fits that failed: {len(self.failures)}", *self.failures[:10], sep="\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--probabilities", action="store_true")
    parser.add_argument("--set", action="append", choices=package_data.NAMES, help="this one only; may be repeated")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    judged = options.set or package_data.HALVES["judged"][::3 if options.quick else 1]
    sets = {name: package_data.load(name) for name in judged}
    required = judge_probabilities(sets)
    if not options.probabilities:
        run = RegretRun()
        for name, loaded in sets.items():
            run.add_set(name, loaded, QUICK if options.quick else FULL)
        run.print()
    print()
    for text, holds in required:
        print(f"{'ok  ' if holds else 'FAIL'} {text}")
    return 0 if all(holds for _, holds in required) else 1


if __name__ == "__main__":
    sys.exit(main())
