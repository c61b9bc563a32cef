"""What a second thread gives, stage by stage: one line each with the seconds of one thread, of two, and their ratio.

    threads.py TEMPER RECORD [--quick] [--busy] [--only STAGE,...]

Each stage is a run of the command on made data that has enough work for two threads, and its seconds are those that the
command reports for that stage; where it reports none, those of the whole command. Of passes it is the difference of a
training with more iterations and one with fewer, so that nothing else is in it. Rounds with one and two threads
alternate, and medians are taken. Beside it is printed what the machine gives at most: two processes of one thread, that do
the same at once, over one alone; two virtual processors may be one core. With --busy two other processes keep two
processors busy meanwhile: there two threads must not be slower than one. Needs numpy."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # the folders of bench/ import each other
from scaling import growth  # noqa: E402

SECTION = "Two threads"
TARGET, BUSY_TARGET = 1.8, 1.0
FIXED = ["--solver", "lbfgs", "--tol", "1e-12", "--calibrate", "none", "--precision", "f32"]
MORE, FEWER = ["--max-iter", "60"], ["--max-iter", "10"]


def make_dense(path, rows, columns, classes=2):
    """Of growth.py, with the labels as an array."""
    growth.make_dense(path, rows, columns, classes)
    labels = numpy.loadtxt(path + ".labels", dtype=numpy.int64)
    with open(path + ".labels", "wb") as file:
        numpy.save(file, labels)


def make_text(path, rows, columns):
    draw = numpy.random.default_rng(3)
    x = draw.standard_normal((rows, columns)).astype(numpy.float32)
    y = (x[:, 0] + draw.standard_normal(rows) > 0).astype(int)
    with open(path, "w", encoding="ascii") as lines:
        for numbers, label in zip(x.tolist(), y):
            lines.write(",".join(f"{number:.5g}" for number in numbers) + f",{label}\n")


class Data:
    """Files that stages read, made when they are first asked for."""

    def __init__(self, folder, quick):
        self.folder, self.share = pathlib.Path(folder), 2 if quick else 1

    def get(self, name, make, rows, *shape):
        path = self.folder / name
        if not path.exists():
            make(str(path), rows // self.share, *shape)
        return str(path)

    def dense(self):
        return self.get("dense.npy", make_dense, 1_000_000, 20)

    def wide(self):
        return self.get("wide.npy", make_dense, 60_000, 300)

    def classes(self):
        return self.get("classes.npy", make_dense, 100_000, 100, 10)

    def small(self):
        return self.get("small.npy", make_dense, 20_000, 40, 4)

    def sparse(self):
        return self.get("sparse.svm", growth.make_sparse, 100_000, 20_000, 60)

    def table(self):
        return self.get("table.csv", make_text, 200_000, 20)


def stages(data):
    """{stage: (words of the command, key of its seconds or None: of the whole command, words of more work or None)}"""
    model, of_classes = str(data.folder / "model.temper"), str(data.folder / "classes.temper")
    short = ["--max-iter", "1", "--calibrate", "none", "-m", model]
    return {
        "dense two-class passes": (["train", data.dense, *FIXED, "-m", model], "train", MORE),
        "sparse passes": (["train", data.sparse, *FIXED, "-m", model], "train", MORE),
        "many-class passes": (["train", data.classes, *FIXED, "-m", of_classes], "train", MORE),
        "Gram matrices": (["train", data.wide, "--solver", "newton", "--calibrate", "none", "-m", model], "train", None),
        "reading CSV": (["train", data.table, *short], "read", None),
        "reading libsvm": (["train", data.sparse, *short], "read", None),
        "reading NPY": (["train", data.dense, *short], "read", None),
        "predictions": (["predict", data.classes, "-m", of_classes, "--proba"], None, None),
        "an audit": (["audit", data.small], None, None),
        "a search": (["tune", data.small, "-m", model], "tune", None),
    }


def seconds_of(temper, words, key, threads):
    command = [str(temper), *(word() if callable(word) else word for word in words), "--threads", str(threads), "-q"]
    if key:
        command.append("--json")
    start = time.perf_counter()
    output = subprocess.PIPE if key else subprocess.DEVNULL  # a reader of the predictions would be measured too
    done = subprocess.run(command, check=False, stdout=output, stderr=subprocess.PIPE, text=True)
    whole = time.perf_counter() - start
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")
    return json.loads(done.stdout)["seconds"][key] if key else whole


def stage_seconds(temper, stage, threads):
    words, key, more = stage
    if not more:
        return seconds_of(temper, words, key, threads)
    return seconds_of(temper, words + more, key, threads) - seconds_of(temper, words + FEWER, key, threads)


def at_once(temper, stage):
    """Mean seconds of two processes of one thread at the same time."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return statistics.mean(pool.map(lambda _: stage_seconds(temper, stage, 1), range(2)))


def measure(temper, stage, rounds, limit=True):
    """Medians with one and two threads, and of two processes at once (None without limit)."""
    found = {1: [], 2: [], "both": []}
    for _ in range(rounds):
        for threads in (1, 2):
            found[threads].append(stage_seconds(temper, stage, threads))
        if limit:
            found["both"].append(at_once(temper, stage))
    return statistics.median(found[1]), statistics.median(found[2]), limit and statistics.median(found["both"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("temper", type=pathlib.Path)
    parser.add_argument("record", type=pathlib.Path, nargs="?")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--busy", action="store_true")
    parser.add_argument("--only", type=lambda text: text.split(","), default=[])
    options = parser.parse_args()
    target, lines, others = BUSY_TARGET if options.busy else TARGET, [], []
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        data = Data(folder, options.quick)
        all_stages = stages(data)
        seconds_of(options.temper, all_stages["many-class passes"][0] + FEWER, "train", 1)  # for the predictions
        try:
            if options.busy:
                others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
            for name, stage in all_stages.items():
                if options.only and name not in options.only:
                    continue
                one, two, both = measure(options.temper, stage, 3 if options.quick else 5, not options.busy)
                beside = ", beside two busy processes" if options.busy else ""
                limit = f"; two processes at once {2 * one / both:.2f}" if both else ""
                print(f"{name}{beside}: {one:.4f} s, {two:.4f} s, {one / two:.2f}{limit}", flush=True)
                lines.append({"section": SECTION, "what": f"{name}{beside}", "value": round(one / two, 2),
                              "target": target, "direction": "at least", "met": one / two >= target,
                              "note": f"{one:.4f} s with one thread, {two:.4f} s with two{limit}"})
        finally:
            for process in others:
                process.kill()
    if options.record:
        options.record.write_text(json.dumps({"lines": lines}), encoding="utf8")


if __name__ == "__main__":
    main()
