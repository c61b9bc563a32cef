"""Audits against cleanlab's method: self-confidence of a logistic regression of scikit-learn, out of
fold. Average precision in finding planted mistakes, and processor seconds.

    audit.py TEMPER FOLDER [--rows N]

FOLDER has Fashion-MNIST. The folds and the penalty are the same for both where temperatures are given;
the baseline is then fitted once, as its own search for a penalty would take as often again as there are
penalties."""
import argparse
import csv
import gzip
import json
import os
import pathlib
import resource
import struct
import subprocess
import tempfile
import time

# Before numpy is imported: its libraries look at these once, when they are loaded.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy
from cleanlab.rank import get_label_quality_scores
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold

CASES = [  # classes, kind, rate, least average precision
    (None, "random", 0.1, 0.91), (None, "random", 0.2, 0.945), (None, "random", 0.4, 0.969),
    (None, "pair", 0.2, 0.93), (None, "pair", 0.4, 0.88),
    ((0, 6), "random", 0.1, 0.685), ((0, 6), "random", 0.2, 0.806), ((0, 6), "random", 0.4, 0.835),
    ((0, 5), "large-margin", 0.1, 0.99),
]


def read_idx(path, header):
    return numpy.frombuffer(gzip.open(path).read(), numpy.uint8, offset=header)


def write_idx(folder, pixels, labels):
    images = folder / "data-images-idx3-ubyte"
    images.write_bytes(struct.pack(">IIII", 2051, len(pixels), 28, 28) + pixels.tobytes())
    (folder / "data-labels-idx1-ubyte").write_bytes(
        struct.pack(">II", 2049, len(labels)) + labels.tobytes())
    return images


def processor_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return output, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def audit(temper, data, rows, given):
    """Scores in the order of the rows, and seconds with reading."""
    command = [temper, "audit", "-q", "--json", "--top", str(rows), "--threads", "1", data, *given]
    output, seconds = processor_seconds(command)
    scores = numpy.zeros(rows)
    for rank, line in enumerate(output.splitlines()):
        scores[json.loads(line)["row"] - 1] = rows - rank
    return scores, seconds


def baseline(pixels, labels):
    x = pixels.astype(float)
    spread = x.std(axis=0)
    x = (x - x.mean(axis=0)) / numpy.where(spread > 0, spread, 1)
    classes = len(set(labels))
    l2 = 2e-4 * (spread > 0).sum() / (classes - 1)
    probabilities = numpy.zeros((len(x), classes))
    number = numpy.searchsorted(numpy.unique(labels), labels)
    start = time.process_time()
    for train, test in StratifiedKFold(5, shuffle=True, random_state=1).split(x, number):
        model = LogisticRegression(C=1 / (l2 * len(train)), max_iter=1000).fit(x[train], number[train])
        probabilities[test] = model.predict_proba(x[test])
    seconds = time.process_time() - start
    return -get_label_quality_scores(number, probabilities, method="self_confidence"), seconds


def run(case, arguments, pixels, labels, folder):
    classes, kind, rate, least = case
    keep = numpy.flatnonzero(numpy.isin(labels, classes) if classes else labels >= 0)
    keep = keep[:arguments.rows]
    clean = write_idx(folder, pixels[keep], labels[keep])
    noisy = folder / "noisy-images-idx3-ubyte"
    subprocess.run([arguments.temper, "noise", "-q", clean, "--kind", kind, "--rate", str(rate), "-o",
                    noisy], check=True, capture_output=True)
    wrong = numpy.zeros(len(keep), bool)
    with open(f"{noisy}.changes.csv", encoding="utf8") as changes:
        for row in csv.DictReader(changes):
            wrong[int(row["row"]) - 1] = True
    given = numpy.frombuffer((folder / "noisy-labels-idx1-ubyte").read_bytes(), numpy.uint8, offset=8)
    base, base_seconds = baseline(pixels[keep], given)
    same, same_seconds = audit(arguments.temper, noisy, len(keep), ["--t1", "1", "--t2", "1"])
    best, best_seconds = audit(arguments.temper, noisy, len(keep), [])
    precision = [average_precision_score(wrong, scores) for scores in (base, same, best)]
    name = f"{' v '.join(map(str, classes)) if classes else 'ten classes'}, {kind} {rate:g}"
    print(f"{name:<30} cleanlab {precision[0]:.3f} {base_seconds:6.1f} s   (1, 1) {precision[1]:.3f} "
          f"{same_seconds:6.1f} s = {base_seconds / same_seconds:.1f}x   chosen {precision[2]:.3f} "
          f"{best_seconds:6.1f} s = {base_seconds / best_seconds:.1f}x   "
          f"{'met' if precision[2] >= least else 'MISSED'} ({least:g})", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("temper")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=12000)
    parser.add_argument("--only", default="", help="cases whose noise has this name")
    arguments = parser.parse_args()
    pixels = read_idx(arguments.folder / "train-images-idx3-ubyte.gz", 16).reshape(-1, 784)
    labels = read_idx(arguments.folder / "train-labels-idx1-ubyte.gz", 8)
    for case in CASES:
        if arguments.only in case[1]:
            with tempfile.TemporaryDirectory() as folder:
                run(case, arguments, pixels, labels, pathlib.Path(folder))


main()
