"""Tuning against peers (tune_peers.py: few rows of many classes, a path of penalties, LogisticRegressionCV, glmnet); then a
grid of temperatures and penalties on ten folds: temper tune against one training at a time, and against
scikit-learn's LogisticRegressionCV, on Fashion-MNIST 0 v 6.

    tune.py TEMPER FOLDER RECORD [--folds K]

Seconds are those of the processor, two threads each, for one fit; candidates that tune drops after
two halves count with those two fits only. One training at a time is the mean over the grid on nine tenths of
the rows, whole commands on a mapped file."""
import argparse
import json
import os
import pathlib
import subprocess
import sys

THREADS = 2
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = str(THREADS)  # before NumPy is loaded

import numpy  # noqa: E402

import train_data  # noqa: E402
import tune_peers  # noqa: E402

T1, T2 = (0.1, 0.3, 0.5, 0.7, 0.9, 1), (1, 1.12, 1.4, 1.9)
L2 = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
OWN_TARGET, PEER_TARGET = 4, 20  # times as fast


def grid_text():
    numbers = [",".join(str(x) for x in axis) for axis in (T1, T2, L2)]
    return "only t1={} t2={} l2={}".format(*numbers)


def tune(temper, data, folds):
    """(seconds, accuracy of the best candidate, fits)"""
    seconds, output = tune_peers.processor_seconds(
        [temper, "tune", data, "-m", data + ".temper", "--grid", grid_text(), "--folds", str(folds),
         "--scale", "none", "--criterion", "accuracy", "--threads", str(THREADS), "--json"])
    table = json.loads(output)["table"]
    kept = [row for row in table if row["stage"] == 2]
    return seconds, max(row["accuracy"] for row in kept), 2 * len(table) + folds * len(kept) + 1


def train_one_by_one(temper, data):
    """Seconds of one training, the mean over the grid."""
    seconds = [tune_peers.processor_seconds([temper, "train", data, "-m", data + ".temper", "--t1", str(t1),
                                             "--t2", str(t2), "--l2", str(l2), "--scale", "none",
                                             "--calibrate", "none", "--threads", str(THREADS), "--json"])[0]
               for t1 in T1 for t2 in T2 for l2 in L2]
    return sum(seconds) / len(seconds)


def write(temper, folder, name, x, y):
    """The rows as a file that is mapped, not read."""
    numpy.save(folder / "tune.npy", x)
    (folder / "tune.labels").write_text("".join(f"{label}\n" for label in y))
    subprocess.run([temper, "convert", folder / "tune.npy", "--labels", folder / "tune.labels",
                    folder / name], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return str(folder / name)


def report(what, ratio, target, note):
    print(f"  {what:<52} {ratio:7.1f}x  (target >= {target}x) {'met' if ratio >= target else 'MISSED'}  {note}")
    return {"what": what, "ratio": ratio, "target": target, "note": note}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("temper")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("record", type=pathlib.Path)
    parser.add_argument("--folds", type=int, default=10)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    record = tune_peers.run(options.temper, options.folder, report)
    more = fashion(options)
    record = {**record, **more, "ratios": record["ratios"] + more.get("ratios", [])}
    options.record.write_text(json.dumps(record, indent=1) + "\n")


def fashion(options):
    """The comparison on Fashion-MNIST; {} where it is not here."""
    data = train_data.find_data()
    if not data:
        print("tune: Fashion-MNIST is not here; set TEMPER_DATA")
        return {}
    x, y = train_data.only(*train_data.fashion(data, "train"), (0, 6))
    part = len(y) * (options.folds - 1) // options.folds
    whole = write(options.temper, options.folder, "tune.tmpr", x, y)
    some = write(options.temper, options.folder, "tune-part.tmpr", x[:part], y[:part])
    peer, peer_accuracy = tune_peers.logistic_regression_cv(x, y, L2, options.folds)
    peer /= options.folds * len(L2)  # a fit
    seconds, accuracy, fits = tune(options.temper, whole, options.folds)
    one = train_one_by_one(options.temper, some)
    ours = seconds / fits
    print(f"A grid of {len(T1) * len(T2) * len(L2)} candidates on {options.folds} folds, Fashion-MNIST 0 v 6: "
          f"{fits} fits, {1000 * ours:.1f} ms each")
    records = [
        report("against one training at a time", one / ours, OWN_TARGET, f"{1000 * one:.0f} ms a fit"),
        report("against LogisticRegressionCV, a fit", peer / ours, PEER_TARGET, f"{1000 * peer:.0f} ms a fit"),
    ]
    print(f"  best accuracy out of fold {100 * accuracy:.2f} %, LogisticRegressionCV {100 * peer_accuracy:.2f} %")
    return {"fits": fits, "ms": 1000 * ours, "accuracy": accuracy, "peer_accuracy": peer_accuracy, "ratios": records}


if __name__ == "__main__":
    sys.exit(main())
