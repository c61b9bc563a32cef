#!/usr/bin/env python3
"""Training from disk against reading the file: bench/scaling/out_of_core.py TEMPER [ROWS] [FILE]

Reads the file by one reader; then in turns by two at once, and trains from it in a quarter of its size, for few
and for more iterations, which shows what an evaluation takes; what readers get is the mean before and after. In the
end it trains without a limit, and compares the models. With FILE, a .tmpr of an earlier run or one to be
made, the data stays there for the next time.
Needs numpy, and root to drop the system's cache and to bound it by a control group; without, it says so and
measures what it can. The data goes to $TMPDIR or /var/tmp, and away again.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy

TEMPER = os.path.abspath(sys.argv[1])
ROWS = int(sys.argv[2]) if len(sys.argv) > 2 else 2_000_000
COLUMNS = 250
GROUP = "/sys/fs/cgroup/memory/temper-bench"
# Of a training, beside evaluations: two for the scaling, one each for the fingerprint and the first step's length; and
# a tenth of the rows for the second moments, which is left out here.
OTHER_PASSES = 4


def make(name):
    draw = numpy.random.default_rng(3)
    weights = draw.normal(size=COLUMNS) / 8
    with open(name + ".npy", "wb") as numbers, open(name + ".npy.labels", "w") as labels:
        numpy.lib.format.write_array_header_1_0(
            numbers, {"descr": "<f4", "fortran_order": False, "shape": (ROWS, COLUMNS)})
        for done in range(0, ROWS, 50_000):
            x = draw.standard_normal(size=(min(50_000, ROWS - done), COLUMNS), dtype=numpy.float32)
            numbers.write(x.tobytes())
            y = x @ weights + draw.logistic(size=len(x)) > 0
            labels.writelines(f"{int(label)}\n" for label in y)
    subprocess.run([TEMPER, "convert", "-q", name + ".npy", name + ".tmpr"], check=True)
    os.remove(name + ".npy")


def drop_cache():
    try:
        with open("/proc/sys/vm/drop_caches", "w") as file:
            file.write("3")
    except OSError:
        print("the cache stays as it is: not root")


def bound_cache(limit):
    try:
        os.makedirs(GROUP, exist_ok=True)
        with open(GROUP + "/memory.limit_in_bytes", "w") as file:
            file.write(str(limit))
        with open(GROUP + "/tasks", "w") as file:
            file.write(str(os.getpid()))
    except OSError:
        print("the cache has no bound: no control group")


def read(path, size):
    drop_cache()
    start = time.monotonic()
    subprocess.run(["dd", "if=" + path, "of=/dev/null", "bs=4M"], check=True, stderr=subprocess.DEVNULL)
    print(f"reading the file: {size / 1e6 / (time.monotonic() - start):.0f} MB/s", flush=True)


def read_by_two(path, size):
    """Each reads its own half, as two threads do that train."""
    drop_cache()
    blocks = size // (4 << 20) // 2
    start = time.monotonic()
    readers = [subprocess.Popen(["dd", "if=" + path, "of=/dev/null", "bs=4M", half], stderr=subprocess.DEVNULL)
               for half in (f"count={blocks}", f"skip={blocks}")]
    if any([reader.wait() for reader in readers]):
        raise SystemExit("dd has failed")
    rate = size / 1e6 / (time.monotonic() - start)
    print(f"reading it by two at once: {rate:.0f} MB/s", flush=True)
    return rate


def run_train(path, model, iterations, limit):
    """The report, and the peak of memory in bytes."""
    options = ["--memory", str(limit)] if limit else []
    run = subprocess.Popen(
        [TEMPER, "train", path, "-q", "-m", model, "--json", "--solver", "lbfgs", "--loss", "logistic", "--l2", "1e-3",
         "--tol", "1e-9", "--max-iter", str(iterations), "--threads", "2", *options],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    text = run.stdout.read()
    _, status, usage = os.wait4(run.pid, 0)
    if status:
        raise SystemExit("temper train has failed")
    return json.loads(text), usage.ru_maxrss * 1024


def train(path, size, limit, iterations):
    """Seconds, and how many evaluations that were, and MB/s."""
    drop_cache()
    report, peak = run_train(path, path + ".temper", iterations, limit)
    passes, seconds = report["evaluations"] + OTHER_PASSES, report["seconds"]
    rate = passes * size / 1e6 / seconds["train"]
    print(f"reading and verifying it: {size / 1e6 / seconds['read']:.0f} MB/s", flush=True)
    print(f"training from it, {passes} passes: {rate:.0f} MB/s; peak {peak / 2**20:.0f} MiB of {limit / 2**20:.0f}",
          flush=True)
    return seconds["train"], report["evaluations"], rate


def same_without_limit(path, iterations):
    drop_cache()
    run_train(path, path + ".whole", iterations, None)
    with open(path + ".temper", "rb") as limited, open(path + ".whole", "rb") as whole:
        same = limited.read() == whole.read()
    os.remove(path + ".temper")
    os.remove(path + ".whole")
    print("the model is the one of a training without a limit" if same else "THE MODEL IS ANOTHER WITHOUT A LIMIT")


def measure(path):
    size = os.path.getsize(path)
    bound_cache(size * 3 // 10)
    read(path, size)
    first = read_by_two(path, size)  # in turns: disks that others use too are faster at one time than at another
    short, few, short_rate = train(path, size, size // 4, 2)
    second = read_by_two(path, size)
    long, many, long_rate = train(path, size, size // 4, 8)
    third = read_by_two(path, size)
    same_without_limit(path, 8)
    print(f"training is {2 * short_rate / (first + second):.2f} and {2 * long_rate / (second + third):.2f} times as fast "
          "as two readers")
    each = (long - short) / (many - few)
    before = (short - few * each) / OTHER_PASSES
    print(f"so an evaluation reads {size / 1e6 / each:.0f} MB/s, and another pass {size / 1e6 / before:.0f} MB/s")


def main():
    if len(sys.argv) > 3:
        if not os.path.exists(sys.argv[3]):
            make(sys.argv[3].removesuffix(".tmpr"))
        measure(sys.argv[3])
        return
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/var/tmp")) as folder:
        path = os.path.join(folder, "big")
        make(path)
        measure(path + ".tmpr")


main()
