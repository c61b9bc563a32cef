"""Calls of the system that fail: MemoryError or OSError with a message, no crash, no damaged file, no other result."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    compiler = shutil.which("cc")
    if not compiler or not sys.platform.startswith("linux"):
        pytest.skip("needs Linux and a C compiler")
    path = tmp_path_factory.mktemp("faults") / "faults.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", path, HERE / "fault_library.c", "-ldl"], check=True)
    return path


def run(library, folder, points):
    done = subprocess.run([sys.executable, HERE / "fault_calls.py", folder, str(points)], capture_output=True, text=True,
                          env={**os.environ, "LD_PRELOAD": str(library), "OMP_NUM_THREADS": "1"})
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line.split("; ") for line in done.stdout.splitlines()]
    assert sum(int(line[3]) for line in lines) > 20 and any("MemoryError" in line[4] for line in lines)
    return lines


def test_some_failing_calls(library, tmp_path):
    run(library, tmp_path, 4)


@pytest.mark.long
def test_every_failing_call(library, tmp_path):
    run(library, tmp_path, 0)
