"""Reading a clean CSV of numbers into memory: temper beside polars, pyarrow, DuckDB and pandas, on one and two processors.

    read_tables.py LIBTEMPER FOLDER [--rows N] [--rounds N]

Each round starts every reader once, in turn, as a process of its own that reads a small file first and is then bound to the
processors; the medians of the rounds are printed, in megabytes of the file a second of time and a second of the processor. All of them
have the numbers in memory at the end: temper as floats with labels, the others as the columns of a table."""
import argparse
import ctypes
import json
import os
import pathlib
import subprocess
import sys
import time

import numpy

READERS = ("temper", "polars", "pyarrow", "duckdb", "pandas")
COLUMNS = 20


def reader(name, library):
    """(a function that reads a path, the version)"""
    if name == "temper":
        temper = ctypes.CDLL(library)
        data = ctypes.c_void_p()
        temper.temper_version.restype = ctypes.c_char_p

        def read(path):
            if temper.temper_data_read(str(path).encode(), None, ctypes.byref(data), None) != 0:
                raise SystemExit(f"temper cannot read {path}")
            temper.temper_data_free(data)
        return read, temper.temper_version().decode()
    if name == "polars":
        import polars
        return lambda path: polars.read_csv(path, has_header=False), polars.__version__
    if name == "pyarrow":
        import pyarrow
        from pyarrow import csv
        pyarrow.set_cpu_count(len(os.sched_getaffinity(0)))
        options = csv.ReadOptions(autogenerate_column_names=True)
        return lambda path: csv.read_csv(path, read_options=options), pyarrow.__version__
    if name == "duckdb":
        import duckdb
        duckdb.sql(f"SET threads = {len(os.sched_getaffinity(0))}")
        return lambda path: duckdb.sql(f"CREATE OR REPLACE TEMP TABLE t AS FROM read_csv('{path}', header = false)"), \
            duckdb.__version__
    import pandas
    return lambda path: pandas.read_csv(path, header=None, engine="c"), pandas.__version__


def child(name, library, small, path):
    """Prints seconds of time and of the processor."""
    read, version = reader(name, library)
    read(small)
    start, used = time.perf_counter(), time.process_time()
    read(path)
    print(json.dumps([time.perf_counter() - start, time.process_time() - used, version]))


def run(name, processors, options, small, path):
    """[seconds, seconds of the processor, version] of one reading; None where the reader is not installed."""
    command = ["taskset", "-c", ",".join(map(str, range(processors))), sys.executable, __file__, "--child", name,
               options.library, str(small), str(path)]
    environment = {**os.environ, "POLARS_MAX_THREADS": str(processors)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0 and "ModuleNotFoundError" in done.stderr:
        return None
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def make(path, rows):
    """Numbers of seven digits, and labels 0 and 1 in the last column."""
    random = numpy.random.default_rng(1)
    x = random.normal(size=(rows, COLUMNS)).astype(numpy.float32)
    numpy.savetxt(path, numpy.c_[x, random.integers(0, 2, rows)], delimiter=",", fmt=["%.7g"] * COLUMNS + ["%d"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=500000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    small, path = options.folder / "small.csv", options.folder / f"numbers-{options.rows}.csv"
    make(small, 1000)
    if not path.exists():
        make(path, options.rows)
    megabytes = path.stat().st_size / 1e6
    print(f"{megabytes:.0f} MB, {options.rows} rows of {COLUMNS} numbers and a label; medians of {options.rounds} rounds")
    print(f"{'':<24}{'MB a second':>14}{'MB a processor-second':>24}")
    for processors in (1, 2):
        found = {}
        for _ in range(options.rounds):
            for name in READERS:
                seconds = run(name, processors, options, small, path)
                if seconds:
                    found.setdefault(name, []).append(seconds)
        for name, all_seconds in found.items():
            wall, used = (megabytes / numpy.median([seconds[i] for seconds in all_seconds]) for i in (0, 1))
            print(f"{name + ' ' + all_seconds[0][2] + ', ' + str(processors):<24}{wall:>14.0f}{used:>24.0f}")


if sys.argv[1:2] == ["--child"]:
    child(*sys.argv[2:])
else:
    main()
