"""The default temperatures: regret of candidates on data sets from packages, with ten kinds of labels.

    default_study.py RECORD [--half design|judged|images] [--kind NAME]... [--report] [--quick]

Every candidate is trained with the default penalty on up to TRAIN_ROWS rows with noisy labels and tested on clean rows,
for each set of the half (package_data.py), each kind of noise (label_noise.py) and three seeds. "from logistic" begins
at the logistic solution in place of W = 0; "lower of two" is what has the lower objective of these two starts.
LogisticRegression is scikit-learn's, C = 1, on standardised features. Halves are measured into RECORD in turn (all
of them without --half); --kind measures single kinds of noise again and keeps the others; --report prints the tables
of what RECORD has.

The rule, set before the judged half was looked at: the candidate with the lowest mean regret on the design half
becomes the default if on the judged half it is better than the present one by more than two standard errors (over sets)
and its worst case is not worse by more than one point. "images" are sets of images and Covertype from
$TEMPER_DATA, where it is (image_sets.py)."""
import argparse
import copy
import functools
import json
import os
import pathlib
import time
import warnings

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")  # before numpy is imported

import numpy  # noqa: E402
import temperlr  # noqa: E402
from sklearn.ensemble import ExtraTreesClassifier  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402

import image_sets  # noqa: E402
import label_noise  # noqa: E402
import package_data  # noqa: E402
import regret  # noqa: E402

SEEDS = (1, 2, 3)
TRAIN_ROWS, TEST_ROWS = 1200, 1800
PRESENT = (0.3, 1)  # the default that the study began with
PAIRS = [*((t1, 1) for t1 in (0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1)), *((t1, 1.12) for t1 in (0.1, 0.3, 0.5, 0.7, 1)),
         (0.7, 1.4), (1, 1.4)]
WARM = [(0.3, 1), (0.5, 1), (0.7, 1), (0.3, 1.12)]
PEER = "LogisticRegression"
GAP = 5  # points by which a forest is better than a linear model where "no linear model fits"


def name_of(pair):
    return f"({pair[0]:g}, {pair[1]:g})"


CANDIDATES = [name_of(pair) for pair in PAIRS]
WARM_NAMES = [f"{name_of(pair)} {start}" for pair in WARM for start in ("from logistic", "lower of two")]
METHODS = [*CANDIDATES, *WARM_NAMES, PEER]


# ---- Measuring --------------------------------------------------------------------------------------------------


class Fits:
    """All fits to one set of noisy rows. A fit that learns nothing predicts the most frequent label."""

    def __init__(self, train, test):
        self.train, self.test = train, test
        self.commonest = numpy.bincount(train[1]).argmax()
        self.nothing_learnt = []

    def accuracy(self, predict):
        return float((predict(self.test[0]) == self.test[1]).mean())

    def fit(self, model, name):
        """(accuracy, objective)"""
        try:
            model.fit(*self.train)
        except (ValueError, RuntimeError) as error:
            self.nothing_learnt.append(f"{name}: {error}")
            return float((self.test[1] == self.commonest).mean()), float("inf")
        return self.accuracy(model.predict), model.objective_

    def all(self):
        logistic = estimator(1, 1, warm_start=True).fit(*self.train)
        zero = {name_of(pair): self.fit(estimator(*pair), name_of(pair)) for pair in PAIRS}
        found = {name: accuracy for name, (accuracy, _) in zero.items()}
        for pair in WARM:
            name, model = name_of(pair), copy.copy(logistic).set_params(t1=pair[0], t2=pair[1])
            warm = self.fit(model, f"{name} from logistic")
            found[f"{name} from logistic"] = warm[0]
            found[f"{name} lower of two"] = min(zero[name], warm, key=lambda result: result[1])[0]
        peer = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(*self.train)
        return {**found, PEER: self.accuracy(peer.predict)}


def estimator(t1, t2, **more):
    """Labels only: the calibration of probabilities, which does not change them, is left out."""
    model = temperlr.TemperedLogisticRegression(t1=t1, t2=t2, **more)
    return model.set_params(calibrate="none") if "calibrate" in model.get_params() else model


def linear_gap(train, test):
    """Points by which a forest is better than logistic regression, with clean labels."""
    forest = ExtraTreesClassifier(100, random_state=1).fit(*train)
    linear = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(*train)
    return 100 * (forest.score(*test) - linear.score(*test))


def measure_set(name, loaded, kinds, seeds):
    """(measurements, what did not learn) of one set."""
    measured, failed = [], []
    for seed in seeds:
        train, test = package_data.split(*loaded, seed, TRAIN_ROWS, TEST_ROWS)
        for kind, noise in kinds.items():
            fits = Fits((train[0], noise(*train, seed)), test)
            measured.append({"set": name, "noise": kind, "seed": seed, "accuracy": fits.all()})
            failed += [f"{name}, {kind}, seed {seed}: {text}" for text in fits.nothing_learnt]
    return measured, failed


def sets_of(half):
    """(name, loader, kinds of noise by the number of classes)"""
    if half == "images":
        return [(name, image_sets.SETS[name], image_sets.kinds_for) for name in image_sets.available()]
    return [(name, functools.partial(package_data.load, name), label_noise.kinds_for)
            for name in package_data.HALVES[half]]


def measure_half(half, quick, only, found):
    """Adds to what was found before; measurements of the same kinds of noise are replaced."""
    for name, load, kinds_for in sets_of(half):
        start, loaded = time.process_time(), load()
        kinds = kinds_for(loaded[1].max() + 1)
        kinds = {kind: kinds[kind] for kind in kinds if kind in (only or list(kinds)[:2 if quick else None])}
        if name not in found["gaps"]:
            found["gaps"][name] = linear_gap(*package_data.split(*loaded, 1, TRAIN_ROWS, TEST_ROWS))
        measured, failed = measure_set(name, loaded, kinds, SEEDS[:1] if quick else SEEDS)
        kept = [one for one in found["measurements"] if one["set"] != name or one["noise"] not in kinds]
        found["measurements"] = kept + measured
        found["failed"] += failed
        print(f"{name}: {loaded[0].shape[0]} x {loaded[0].shape[1]}, {loaded[1].max() + 1} classes, gap "
              f"{found['gaps'][name]:.1f}, {time.process_time() - start:.1f} s", flush=True)


# ---- The report -------------------------------------------------------------------------------------------------


def difference_lines(measurements, present):
    lines = [regret.row([f"against {present}", "better by, points", "standard error over sets"]),
             regret.row(["---"] * 3)]
    for method in METHODS:
        if method != present:
            gain, error = regret.difference(measurements, method, present)
            lines.append(regret.row([method, f"{gain:+.2f}", f"{error:.2f}"]))
    return lines


def report_half(half, found):
    measurements, present = found["measurements"], name_of(PRESENT)
    best = regret.best_candidates(measurements, CANDIDATES)
    chosen = min(CANDIDATES, key=lambda name: regret.mean_of_kinds(regret.regrets(measurements, name, best)))
    hard = [one for one in measurements if found["gaps"][one["set"]] >= GAP]
    names = sorted({one["set"] for one in hard})
    sets = len({one["set"] for one in measurements})
    print(f"\n## {half}: {sets} sets, {len(best)} cases, {len(measurements)} measurements, lowest mean: {chosen}\n")
    print(*regret.regret_table(measurements, METHODS, CANDIDATES), sep="\n")
    print(f"\n### {half}: against the present default\n")
    print(*difference_lines(measurements, present), sep="\n")
    if hard:
        print(f"\n### {half}: no linear model fits ({', '.join(names)})\n")
        print(*regret.regret_table(hard, [*CANDIDATES, PEER], CANDIDATES), sep="\n")
    for method, other in ((present, "(1, 1)"), ("(0.7, 1)", present), ("(0.7, 1)", "(1, 1)")):
        print(f"\n### {half}: where {method} loses most to {other}\n")
        print(*regret.losses_table(measurements, method, other, 8), sep="\n")
    print(f"\n{len(found['failed'])} fits learnt nothing", *found["failed"][:10], sep="\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record", type=pathlib.Path)
    parser.add_argument("--half", choices=("design", "judged", "images"))
    parser.add_argument("--kind", action="append", help="this kind of noise only; may be repeated")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--quick", action="store_true", help="one seed, two kinds of noise")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    record = json.loads(options.record.read_text(encoding="utf8")) if options.record.exists() else {}
    halves = [options.half] if options.half else ["design", "judged", "images"]
    for half in halves if not options.report else ():
        if not options.kind or half not in record:
            record[half] = {"measurements": [], "gaps": {}, "failed": []}
        measure_half(half, options.quick, options.kind, record[half])
        options.record.write_text(json.dumps(record), encoding="utf8")
    for half in halves:
        if record.get(half, {}).get("measurements"):
            report_half(half, record[half])


if __name__ == "__main__":
    main()
