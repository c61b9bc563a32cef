"""Passes over the data of tempered trainings, beside logistic regression on the same rows to the same tolerance.

    passes.py TEMPER FOLDER RECORD [--half design|judged|large] [--set NAME,...] [--noise KIND,...] [--tol X]
              [--before TEMPER] [--report]

For each set, each kind of label noise and each pair of temperatures: passes (evaluations, products, and Hessians in units of
a pass, as `temper train --json` counts them), iterations, processor seconds of the whole command, the objective, and the
accuracy on rows that were not trained on, with clean labels. Counts need no calm machine. FOLDER keeps the rows; RECORD
gets all figures; --report prints the tables of a record.

--before names another temper, as that of an earlier commit: its figures are recorded too, and every case is listed in which
the objective is now higher by more than WORSE of itself, or the accuracy lower by more than LOWER points. For t1 < t2
there are several optima, so that fewer passes alone prove nothing.

Sets are those of bench/quality/package_data.py with 300 rows or more in its two halves ("design": looked at when something
was chosen; "judged": not), and "large": $TEMPER_DATA, dense and sparse. Noise: none; random, a fifth of the labels
drawn again; pair, 30 % replaced by the next class (two classes: by the second); margin, the tenth of the rows
that a logistic regression is surest of gets the runner-up."""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # the folders of bench/ import each other
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "quality"))
import package_data  # noqa: E402
from training import train_data  # noqa: E402

PAIRS = ((1, 1), (0.8, 1), (0.5, 1), (0.3, 1), (0.1, 1.12), (0.5, 1.5))  # the first is what the others are compared with
LEAST_ROWS = 300
LARGE = ("covertype-2v3", "covertype-7", "fashion-0v6", "fashion-10", "a9a", "20news", "amazon-kitchen")
WORSE, LOWER = 1e-5, 0.5
NOISE = ("none", "random", "pair", "margin")


# ---- Rows and labels ---------------------------------------------------------------------------------------------


def parts_of(name):
    """((rows, labels) to train with, the same to test with); labels count from 0"""
    if name in LARGE:
        data = train_data.find_data()
        if data is None:
            raise SystemExit(f"{name} needs the folder $TEMPER_DATA")
        return [(x, numpy.unique(y, return_inverse=True)[1]) for x, y in train_data.MAKERS[name](data)]
    x, y = package_data.load(name)
    order, train = numpy.random.default_rng(1).permutation(len(y)), len(y) * 4 // 5
    x = x.astype(numpy.float32)
    return [(x[rows], y[rows]) for rows in (order[:train], order[train:])]


def names_of(half):
    """The sets of a half that have enough rows."""
    if half == "large":
        return LARGE
    return [name for name in package_data.HALVES[half] if len(package_data.load(name)[1]) >= LEAST_ROWS]


def sure_rows(x, y, share):
    """(the rows that a logistic regression predicts correctly with most confidence, the runner-up of each)"""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler
    scaler = StandardScaler(with_mean=not hasattr(x, "tocsr"))
    p = LogisticRegression(max_iter=300).fit(scaler.fit_transform(x), y).predict_proba(scaler.transform(x))
    sure = numpy.argsort(-p[numpy.arange(len(y)), y])[:int(share * len(y))]
    p[sure, y[sure]] = -1
    return sure, p[sure].argmax(axis=1)


def noisy(x, y, kind):
    draw, classes, y = numpy.random.default_rng(5), y.max() + 1, y.copy()
    if kind == "random":
        wrong = draw.random(len(y)) < 0.2
        y[wrong] = draw.integers(0, classes, wrong.sum())
    elif kind == "pair":
        wrong = draw.random(len(y)) < 0.3
        y[wrong] = (y[wrong] + 1) % classes if classes > 2 else 1
    elif kind == "margin":
        sure, runner_up = sure_rows(x, y, 0.1)
        y[sure] = runner_up
    return y


def write(folder, part, x, labels, kind):
    """What temper reads, as arguments. Rows are written once, labels for each kind of noise."""
    named = folder / f"{part}-{kind}.labels"
    if hasattr(x, "tocsr"):  # sparse: labels are in the same file
        path = folder / f"{part}-{kind}.svm"
        if not path.exists():
            from sklearn.datasets import dump_svmlight_file
            dump_svmlight_file(x, labels, str(path), zero_based=False)
        return [str(path)]
    if not (folder / f"{part}.npy").exists():
        numpy.save(folder / f"{part}.npy", numpy.ascontiguousarray(x))
    numpy.savetxt(named, labels, fmt="%d")
    return [str(folder / f"{part}.npy"), "--labels", str(named)]


def prepare(folder, name, kinds):
    """{kind: (arguments of train, arguments of eval)}, and the shape"""
    folder = folder / name
    folder.mkdir(parents=True, exist_ok=True)
    (x, y), (z, v) = parts_of(name)
    test = write(folder, "test", z, v, "clean")
    shape = f"{x.shape[0]:,} × {x.shape[1]:,}, {y.max() + 1}{' sparse' if hasattr(x, 'tocsr') else ''}"
    return {kind: (write(folder, "train", x, noisy(x, y, kind), kind), test) for kind in kinds}, shape


# ---- Measuring ---------------------------------------------------------------------------------------------------


def command(words):
    """(exit code, standard output, processor seconds)"""
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        out = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, out, used.ru_utime + used.ru_stime


def measure(temper, train, test, pair, tolerance):
    """The figures of one training; nothing but the exit code if it failed."""
    with tempfile.TemporaryDirectory() as folder:
        model = str(pathlib.Path(folder) / "model.temper")
        code, out, seconds = command([temper, "train", *train, "--t1", str(pair[0]), "--t2", str(pair[1]), "-m", model,
                                      "--tol", str(tolerance), "--holdout", "none", "--calibrate", "none", "--threads",
                                      "1", "--json", "--quiet"])
        if code != 0:
            return {"exit": code}
        found = json.loads(out)
        code, out, _ = command([temper, "eval", "-m", model, *test, "--json", "--quiet"])
        accuracy = 100 * json.loads(out)["accuracy"] if code == 0 else math.nan
    kept = ("passes", "iterations", "evaluations", "products", "hessians", "objective", "stop", "solver")
    return {key: found[key] for key in kept} | {"accuracy": accuracy, "seconds": seconds}


def run(options):
    record = {"tol": options.tol, "cases": []}
    for name in options.set.split(",") if options.set else names_of(options.half):
        cases, shape = prepare(pathlib.Path(options.folder), name, options.noise.split(","))
        for kind, (train, test) in cases.items():
            case = {"set": name, "shape": shape, "noise": kind, "now": [], "before": []}
            for pair in PAIRS:
                case["now"].append(measure(options.temper, train, test, pair, options.tol))
                if options.before:
                    case["before"].append(measure(options.before, train, test, pair, options.tol))
            record["cases"].append(case)
            pathlib.Path(options.record).write_text(json.dumps(record, indent=1), encoding="utf8")
    return record


# ---- Tables ------------------------------------------------------------------------------------------------------


def ratio_text(figures, base):
    if "passes" not in figures:
        return f"exit {figures['exit']}"
    return f"{figures['passes']:.0f} ({figures['passes'] / base['passes']:.2f})" if "passes" in base else "-"


def mean_line(record, when):
    """Geometric mean of the ratios to the logistic loss, the largest, and how many exceed 1.5"""
    cells = []
    for k in range(1, len(PAIRS)):
        pairs = [(case[when][k], case[when][0]) for case in record["cases"]]
        ratios = [a["passes"] / b["passes"] for a, b in pairs if "passes" in a and "passes" in b]
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        cells.append(f"{mean:.2f}, {max(ratios):.2f}, {sum(r > 1.5 for r in ratios)} of {len(ratios)}")
    return f"| {when}: geometric mean, largest, above 1.5 | | " + " | ".join(cells) + " |"


def total(record, when, key):
    """Sums over all cases, for each pair"""
    sums = [sum(case[when][k].get(key, 0) for case in record["cases"]) for k in range(len(PAIRS))]
    return f"| {when}: sum of {key} | " + " | ".join(f"{value:.4g}" for value in sums) + " |"


def worse(record):
    """Lines for the cases in which the objective or the accuracy is worse than before."""
    for case in record["cases"]:
        for pair, now, before in zip(PAIRS, case["now"], case["before"]):
            if "passes" not in now or "passes" not in before:
                if now != before:
                    yield f"{case['set']}, {case['noise']}, {pair}: {now.get('exit', 0)}, was {before.get('exit', 0)}"
                continue
            higher = now["objective"] / before["objective"] - 1
            lower = before["accuracy"] - now["accuracy"]
            if higher > WORSE or lower > LOWER:
                yield (f"{case['set']}, {case['noise']}, {pair}: objective {higher:+.1e}, accuracy {-lower:+.2f} points, "
                       f"{now['passes']:.0f} passes, were {before['passes']:.0f}")


def report(record):
    print(f"Passes to {record['tol']:g} (in brackets: over those of the logistic loss on the same rows)\n")
    print("| set: rows × features, classes | noise | " + " | ".join(f"({a:g}, {b:g})" for a, b in PAIRS) + " |")
    print("|---" * (2 + len(PAIRS)) + "|")
    for case in record["cases"]:
        for when in ("now", "before"):
            if case[when]:
                cells = " | ".join(ratio_text(figures, case[when][0]) for figures in case[when])
                print(f"| {case['set']}: {case['shape']}{', before' if when == 'before' else ''} | {case['noise']} | {cells} |")
    for when in ("now", "before"):
        if record["cases"] and record["cases"][0][when]:
            print(mean_line(record, when))
            for key in ("passes", "iterations", "seconds"):
                print(total(record, when, key))
    lines = list(worse(record))
    if record["cases"] and record["cases"][0]["before"]:
        better = sum(now.get("objective", math.inf) < before.get("objective", math.inf) * (1 - WORSE)
                     for case in record["cases"] for now, before in zip(case["now"], case["before"]))
        print(f"\nWorse than before: {len(lines)}; a lower objective than before: {better}; of "
              f"{len(record['cases']) * len(PAIRS)}")
        print("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("temper")
    parser.add_argument("folder")
    parser.add_argument("record")
    parser.add_argument("--half", choices=("design", "judged", "large"), default="design")
    parser.add_argument("--set", help="names, separated by commas, in place of a half")
    parser.add_argument("--noise", default="none", help=f"of {', '.join(NOISE)}, separated by commas")
    parser.add_argument("--tol", type=float, default=1e-4)
    parser.add_argument("--before", help="another temper to compare with")
    parser.add_argument("--report", action="store_true", help="print the tables of the record alone")
    options = parser.parse_args()
    if not set(options.noise.split(",")) <= set(NOISE):
        parser.error(f"--noise takes {', '.join(NOISE)}")
    report(json.loads(pathlib.Path(options.record).read_text(encoding="utf8")) if options.report else run(options))


if __name__ == "__main__":
    main()
