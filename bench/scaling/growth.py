#!/usr/bin/env python3
"""How cost grows: bench/scaling/growth.py TEMPER RECORD.json [--quick] [--only SERIES,...] [--bench BENCH]

Each series changes one size from small to large and trains for a fixed number of iterations; the exponent is the
slope of log(seconds) over log(size), by the larger half of the sizes, where what is paid once counts little.
Seconds are those of one evaluation of loss and gradient, all of a training's divided by its evaluations (of a
search: all of it); bytes are the peak of the process. The best of three runs (--quick: of one).
Needs numpy; the series `ranks` needs temper-mpi beside TEMPER, and mpirun. Series that are not measured again
stay in the record.

With BENCH, the program build/bench/bin/bench, also the share of the machine that passes use: of the rate at which one thread
reads floats beyond the caches (dense rows are read once; a sparse entry is read in two copies of 8 bytes), and of the rate at
which it multiplies in registers (many classes: two products of 2 operations a number and class).
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

PASSES = ["--solver", "lbfgs", "--tol", "1e-12", "--precision", "f32", "--calibrate", "none", "--holdout", "none"]
FIXED = [*PASSES, "--max-iter", "8"]
POOL = numpy.random.default_rng(1).standard_normal(1 << 22, dtype=numpy.float32)


def save_rows(path, x, y):
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
    save_rows(path, x, score.argmax(axis=1))


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

    def one_pass(self, data):
        """Seconds of an evaluation: a longer training less a shorter one, so that nothing else is in it."""
        def total(iterations):
            report, _ = run([self.temper, "train", data, "-q", "--json", "-m", self.path("model"), *PASSES,
                             "--max-iter", str(iterations), "--threads", "1"])
            return report["seconds"]["train"], report["evaluations"]
        pairs = [(total(10), total(40)) for _ in range(self.runs)]
        return min((more[0] - fewer[0]) / (more[1] - fewer[1]) for fewer, more in pairs)

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


def limits_of(bench, folder):
    """What one thread reads and multiplies a second: bytes beyond the caches, operations in registers."""
    record = os.path.join(folder, "limits.json")
    subprocess.run([bench, record, folder, "limits"], check=True, capture_output=True)
    with open(record) as file:
        found = {line["what"]: line["value"] for line in json.load(file)["limits"]}
    reading = next(value for what, value in found.items() if "beyond" in what)
    multiplying = next(value for what, value in found.items() if "multiplying" in what)
    return 1e9 * reading, 1e9 * multiplying


def shares(measure, bench):
    """[(what, share of the limit)] of the passes of three kinds of data."""
    read, multiply = limits_of(bench, measure.folder)
    path, text = measure.path("rows.npy"), measure.path("rows.svm")
    rows, columns, each = 400_000, 100, 320
    make_dense(path, rows, columns)
    dense = measure.one_pass(path)
    make_sparse(text, 5000, 20_000, each)
    sparse = measure.one_pass(text)
    classes, many_rows, many_columns = 10, 50_000, 784
    make_dense(path, many_rows, many_columns, classes)
    many = measure.one_pass(path)
    return [(f"dense, {rows:,} x {columns}, of reading at {read / 1e9:.1f} GB/s", 4 * rows * columns / dense / read),
            (f"sparse, 5,000 rows of {each} entries, of the same", 16 * 5000 * each / sparse / read),
            (f"{classes} classes, {many_rows:,} x {many_columns}, of multiplying at {multiply / 1e9:.0f} GF/s",
             4 * many_rows * many_columns * classes / many / multiply)]


def load(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return json.load(file)["series"]


def save_record(path, series, limits):
    with open(path, "w") as file:
        json.dump({"series": series, "limits": limits}, file, indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("temper")
    parser.add_argument("record")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--bench")
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
            save_record(given.record, kept, [])
        if given.bench:
            found = shares(Measure(temper, folder, 3), os.path.abspath(given.bench))
            for what, share in found:
                print(f"share of the machine: {what}: {share:.2f}")
            save_record(given.record, kept, [{"what": f"share of the machine that a pass uses: {what}", "value": round(share, 3), "unit": "share"}
                                      for what, share in found])


if __name__ == "__main__":
    main()
