#!/usr/bin/env python3
"""What one evaluation costs on many machines: bench/scaling/cost_model.py RECORD.json

Reads the series `rows`, `threads` and `ranks` that bench/scaling/growth.py has measured, holds the model against the last
of them, and prints what it says of machines that are not here. docs/scale.md explains the terms; whatever is not
measured is assumed, and named in `ASSUMED`.
"""
import json
import math
import sys

ASSUMED = {
    "latency": 20e-6,  # seconds a message between machines takes at least
    "network": 25e9 / 8,  # bytes a second each machine sends and receives at once: 25 Gbit/s
    "machine": 150e9,  # bytes a second that all cores of a machine can read of its memory
    "cores": 16,  # of a machine
    "disk": 2e9,  # bytes a second of the disk in each machine
    "task": 2.1e-3,  # seconds that a coordinator takes for each task; Dask with 24 of them, measured
}
GATHER_MOST = 64 * 1024  # src/comm/tree.c: below, everyone gets everything in one step
# src/data/parts.c: no more threads of all processes have rows; and gradients of parts take such a share of the data
MOST_PARTS = 8192
PARTS_SHARE = 1024


def allreduce(gradient, ranks, latency, network):
    """Seconds for the sum of a gradient over 1, 2, 4 ... ranks: a gathering, or slices there and back."""
    if ranks == 1:
        return 0.0
    if ranks * gradient <= GATHER_MOST:
        return math.ceil(math.log2(ranks)) * latency + (ranks - 1) * gradient / network
    return 2 * ((ranks - 1) * latency + (ranks - 1) / ranks * gradient / network)


def evaluation(size, gradient, ranks, threads, core, machine, **network):
    """Seconds: each rank, with a machine of its own, reads its parts; then the sum. The thread with most parts is
    the last one."""
    parts = min(MOST_PARTS, int(size / PARTS_SHARE / gradient))
    most = math.ceil(math.ceil(parts / ranks) / threads)
    return size / parts * most / min(core, machine / threads) + allreduce(gradient, ranks, **network)


def gathered(size, gradient, shards, threads, core, machine, latency, network, task):
    """Seconds by shards: all answers go to one machine, which adds them up; W goes out the same way."""
    rows = size / shards / min(threads * core, machine)
    return rows + 2 * shards * gradient / network + shards * task + 2 * latency


def series(record, name):
    for found in record["series"]:
        if found["name"] == name:
            return dict(zip(found["x"], found["seconds"]))
    raise SystemExit(f"the record has no series '{name}'; run bench/scaling/growth.py")


def check(record):
    """Two processes on one machine, from one process with one thread and with two."""
    threads, ranks = series(record, "threads"), series(record, "ranks")
    size, gradient = 200_000 * 100 * 4, 101 * 10 * 8
    speedup = threads[1] / threads[2]
    predicted = ranks[1] / speedup + allreduce(gradient, 2, 2e-6, 5e9)  # through memory: no network
    print(f"one evaluation of {size / 1e6:.0f} MB, 10 classes, here: one process {1e3 * ranks[1]:.1f} ms, two "
          f"processes {1e3 * ranks[2]:.1f} ms, by the model {1e3 * predicted:.1f} ms "
          f"({100 * (predicted / ranks[2] - 1):+.0f} %)")


def core_of(record):
    """Bytes a second that one core evaluates, two classes, beyond the cache."""
    rows = series(record, "rows")
    most = max(rows)
    return most * 100 * 4 / rows[most]


def foretell(core):
    network = {"latency": ASSUMED["latency"], "network": ASSUMED["network"]}
    machine, cores, task = ASSUMED["machine"], ASSUMED["cores"], ASSUMED["task"]
    size = 10e12
    print(f"\n10 TB of floats, two classes; a core evaluates {core / 1e9:.1f} GB/s (measured). Seconds an evaluation:")
    print("| features | 63 processes of 16 threads | the same from disk | 63 shards of 16 threads |\n|---|---|---|---|")
    for features in (100, 10_000, 1_000_000):
        gradient = 8 * features
        memory = evaluation(size, gradient, 63, cores, core, machine, **network)
        disk = max(memory, size / 63 / ASSUMED["disk"])
        shards = gathered(size, gradient, 63, cores, core, machine, task=task, **network)
        print(f"| {features:,} | {memory:.2f} | {disk:.1f} | {shards:.2f} |")
    for features in (100, 10_000, 1_000_000):
        seconds = allreduce(8 * features, 64, **network)
        print(f"of which the sum of {8 * features:,} bytes over 64 processes: {1e3 * seconds:.2f} ms")


def search(record):
    """Fits of ten classes that follow each other: by all of 64 machines each, or by groups that each take some."""
    core, cores = 200_000 * 100 * 4 / series(record, "threads")[1], ASSUMED["cores"]
    network = {"latency": ASSUMED["latency"], "network": ASSUMED["network"]}
    gradient = 8 * 101 * 10
    print("\nTen classes, 100 features, 64 machines: milliseconds an evaluation, all at one fit; in 8 and 64 groups")
    for size in (80e6, 800e6, 8e9, 80e9):
        times = []
        for groups in (1, 8, 64):
            ranks = 64 // groups
            rows = size / ranks / min(cores * core, ASSUMED["machine"])
            times.append((rows + allreduce(gradient, ranks, **network)) / groups)
        print(f"{size / 1e9:g} GB: " + ", ".join(f"{1e3 * seconds:.2f}" for seconds in times))


def main():
    with open(sys.argv[1]) as file:
        record = json.load(file)
    check(record)
    foretell(core_of(record))
    search(record)


if __name__ == "__main__":
    main()
