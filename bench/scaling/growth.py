#!/usr/bin/env python3
"""How cost grows: bench/scaling/growth.py TEMPER RECORD.json [--quick] [--only SERIES,...]

Each series changes one size from small to large and trains for a fixed number of iterations; the exponent is the
slope of log(seconds) over log(size), by the larger half of the sizes, where what is paid once counts little.
Seconds are those of one evaluation of loss and gradient, all of a training's divided by its evaluations (of a
search: all of it); bytes are the peak of the process. The best of three runs (--quick: of one).
Needs numpy; the series `ranks` needs temper-mpi beside TEMPER, and mpirun. Series that are not measured again
stay in the record.
"""
import sys
import pathlib
import argparse
import json
import os
import shutil
import subprocess
import tempfile

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # the folders of bench/ import each other
from scaling.peak import peak_of  # noqa: E402

FIXED = ["--solver", "lbfgs", "--max-iter", "8", "--tol", "1e-12", "--precision", "f32"]
POOL = numpy.random.default_rng(1).standard_normal(1 << 22, dtype=numpy.float32)


def save(path, x, y):
    numpy.save(path, x)
    with open(path + ".labels", "w") as labels:
        labels.write("\n".join(map(str, y)) + "\n")


def make_dense(path, rows, columns, classes=2):
    """Classes follow the first columns, but for some noise."""
    draw = numpy.random.default_rng(rows + columns + classes)
    x = numpy.resize(POOL, (rows, columns))
    x[:, 0] += draw.standard_normal(rows, dtype=numpy.float32)  # no two rows are the same
    weights = draw.standard_normal((min(columns, 20), classes))
    score = x[:, :20] @ weights + 2 * draw.gumbel(size=(rows, classes))
    save(path, x, score.argmax(axis=1))


def make_sparse(path, rows, columns, each):
    draw = numpy.random.default_rng(each)
    with open(path, "w") as lines:
        for _ in range(rows):
            entries = numpy.unique(draw.integers(1, columns + 1, size=each))
            label = int(entries[0] < columns / each * 0.7)
            lines.write(f"{label} " + " ".join(f"{entry}:1" for entry in entries) + "\n")


def run(command):
    """What the command reports, and its peak in bytes."""
    output, peak = peak_of(command)
    return json.loads(output), peak


class Measure:
    def __init__(self, temper, folder, runs):
        self.temper, self.folder, self.runs = temper, folder, runs

    def path(self, name):
        return os.path.join(self.folder, name)

    def best(self, command, seconds_of):
        results = [(seconds_of(report), peak) for report, peak in (run(command) for _ in range(self.runs))]
        return min(results)

    def train(self, data, *options, program=None):
        command = (program or [self.temper]) + ["train", data, "-q", "--json", "-m", self.path("model"), *FIXED,
                                                *(options or ("--threads", "1"))]
        return self.best(command, lambda report: report["seconds"]["train"] / report["evaluations"])

    def dense(self, rows, columns, classes=2, options=(), program=None):
        path = self.path("rows.npy")
        make_dense(path, rows, columns, classes)
        return self.train(path, *options, program=program)

    def sparse(self, each):
        path = self.path("rows.svm")
        make_sparse(path, 5000, 20_000, each)
        return self.train(path)

    def models(self, count):
        path = self.path("rows.npy")
        make_dense(path, 5000, 50)
        command = [self.temper, "tune", path, "-q", "--json", "--threads", "1", "--folds", "2", "--grid",
                   f"only t1=0.3 t2=1 l2=1e-5..1e-1:{count}"]
        return self.best(command, lambda report: report["seconds"]["tune"])

    def ranks(self, count):
        path = self.path("rows.npy")
        make_dense(path, 200_000, 100, 10)
        if not os.path.exists(self.path("rows.tmpr")):
            subprocess.run([self.temper, "convert", "-q", path, self.path("rows.tmpr")], check=True)
        program = [shutil.which("mpirun"), "--oversubscribe", "--allow-run-as-root", "-n", str(count),
                   self.temper + "-mpi"]
        return self.train(self.path("rows.tmpr"), "--threads", "1", program=program)


def series_list(measure):
    """Name, what is counted, the sizes, and how one of them is measured."""
    return [
        ("rows", "rows of 100 features", [12_500, 25_000, 50_000, 100_000, 200_000],
         lambda rows: measure.dense(rows, 100)),
        ("features", "features of 20,000 rows", [50, 100, 200, 400, 800],
         lambda columns: measure.dense(20_000, columns)),
        ("classes", "classes of 20,000 rows of 100 features", [4, 8, 16, 32, 64],
         lambda classes: measure.dense(20_000, 100, classes)),
        ("nonzeros", "entries a row, 5,000 sparse rows of 20,000 features", [40, 80, 160, 320, 640],
         measure.sparse),
        ("models", "penalties of a grid, two folds, 5,000 rows of 50 features", [2, 4, 8, 16, 32],
         measure.models),
        ("threads", "threads, 200,000 rows of 100 features and 10 classes", [1, 2],
         lambda threads: measure.dense(200_000, 100, 10, ("--threads", str(threads)))),
        ("ranks", "processes of one thread, the same rows", [1, 2], measure.ranks),
    ]


def exponent(sizes, seconds):
    """By the larger half, three points at least where there are so many."""
    last = min(len(sizes), max(3, (len(sizes) + 1) // 2))
    slope, _ = numpy.polyfit(numpy.log(sizes[-last:]), numpy.log(seconds[-last:]), 1)
    return round(float(slope), 3)


def load(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return json.load(file)["series"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("temper")
    parser.add_argument("record")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    temper = os.path.abspath(given.temper)
    wanted = given.only.split(",") if given.only else None
    kept = load(given.record)
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/var/tmp")) as folder:
        for name, counted, sizes, measured in series_list(Measure(temper, folder, 1 if given.quick else 3)):
            if wanted and name not in wanted:
                continue
            if name == "ranks" and not (shutil.which("mpirun") and os.path.exists(temper + "-mpi")):
                print("ranks: left out, there is no mpirun or no temper-mpi beside temper")
                continue
            results = [measured(size) for size in sizes]
            seconds, peaks = [list(column) for column in zip(*results)]
            made = {"name": name, "counted": counted, "x": sizes, "seconds": seconds, "bytes": peaks,
                    "exponent": exponent(sizes, seconds)}
            kept = [series for series in kept if series["name"] != name] + [made]
            print(f"{name:9} {counted}: exponent {made['exponent']:.2f}; " +
                  ", ".join(f"{size}: {1e3 * second:.3g} ms" for size, second in zip(sizes, seconds)))
            with open(given.record, "w") as file:
                json.dump({"series": kept}, file, indent=1)


if __name__ == "__main__":
    main()
