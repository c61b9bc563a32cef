"""Training on what an audit believes (`temper train --clean`), on the judged data sets: what it changes in accuracy on
clean rows, after training on noisy labels.

    audit_clean.py [--half design|judged] [--quick] [--set NAME]

Methods: the default training, and the same with clean="drop", "weigh" and "relabel". Printed for each kind of noise: the
mean accuracy of the default training, and points of accuracy that each method gains; then in how many cases it is better
or worse than the default by more than half a point. A case is a set with a kind of noise; accuracies are means over the
seeds."""
import argparse
import os
import statistics
import time
import warnings

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")  # before numpy is imported

import temperlr  # noqa: E402

import label_noise  # noqa: E402
import package_data  # noqa: E402
import regret  # noqa: E402

SEEDS = (1, 2, 3)
SIZES = (600, 3000)  # training rows, where a set has so many
TEST_ROWS = 1800
KINDS = ("clean", "random 10 %", "random 20 %", "random 40 %", "pair 20 %", "pair 40 %", "class 30 %",
         "large margin 10 %", "feature 20 %")
METHODS = {"default": None, "drop": "drop", "weigh": "weigh", "relabel": "relabel"}
MATTERS = 0.5  # points


def accuracies(train, test):
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, clean in METHODS.items():
            model = temperlr.TemperedLogisticRegression(clean=clean, calibrate="none").fit(*train)
            found[name] = float(model.score(*test))
    return found


def measure(names, seeds, rows):
    for name in names:
        x, y = package_data.load(name)
        if 3 * len(y) // 5 < rows and rows != SIZES[0]:
            continue
        for seed in seeds:
            (train_x, train_y), test = package_data.split(x, y, seed, rows, TEST_ROWS)
            kinds = label_noise.kinds_for(y.max() + 1)
            for kind in KINDS:
                if kind in kinds:
                    noisy = kinds[kind](train_x, train_y, seed)
                    yield {"set": name, "noise": kind, "seed": seed,
                           "accuracy": accuracies((train_x, noisy), test)}


def report(measurements, rows):
    methods = list(METHODS)[1:]
    print(f"\n{rows} training rows or fewer, {len({one['set'] for one in measurements})} sets: accuracy of the default, "
          "and points that a method gains")
    print(regret.row(["noise", "default", *methods]))
    print(regret.row(["---"] * (2 + len(methods))))
    cases = regret.group(measurements, regret.case_of)
    for kind in KINDS:
        found = [one for (_, noise), group in cases.items() if noise == kind for one in group]
        if found:
            plain = regret.mean_accuracy(found, "default")
            gains = [100 * (regret.mean_accuracy(found, name) - plain) for name in methods]
            print(regret.row([kind, f"{100 * plain:.1f} %", *(f"{gain:+.2f}" for gain in gains)]))
    for name in methods:
        gains = [100 * (regret.mean_accuracy(group, name) - regret.mean_accuracy(group, "default"))
                 for group in cases.values()]
        print(f"{name}: {statistics.fmean(gains):+.2f} points on average; better in "
              f"{100 * statistics.fmean(gain > MATTERS for gain in gains):.0f} % of {len(gains)} cases, worse in "
              f"{100 * statistics.fmean(gain < -MATTERS for gain in gains):.0f} %, worst {min(gains):+.1f}, "
              f"best {max(gains):+.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=package_data.HALVES, default="judged")
    parser.add_argument("--quick", action="store_true", help="a third of the sets, one seed")
    parser.add_argument("--set", help="one set alone")
    arguments = parser.parse_args()
    names = [arguments.set] if arguments.set else package_data.HALVES[arguments.half]
    started = time.time()
    for rows in SIZES:
        names_of_size, seeds = (names[::3], SEEDS[:1]) if arguments.quick else (names, SEEDS)
        found = list(measure(names_of_size, seeds, rows))
        if found:
            report(found, rows)
    print(f"{time.time() - started:.0f} seconds")


main()
