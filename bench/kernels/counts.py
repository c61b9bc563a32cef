"""Instructions of the hot loops by valgrind's callgrind: counts.py COUNTS RECORD [--kernels plain,avx2]

COUNTS is the program of bench/kernels/counts.c. A busy machine does not change these numbers, so that bench/compare can
judge them where times cannot be trusted. Valgrind knows no AVX-512: those kernels are not counted."""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile


def dumps(folder):
    """{name: instructions} of all dumps; the last one, made at the end of the program, has no name."""
    found = {}
    for path in folder.glob("callgrind.out*"):
        text = path.read_text()
        name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.M)
        total = re.search(r"^(?:totals|summary): (\d+)", text, re.M)
        if name and total:
            found[name[1]] = int(total[1])
    return found


def count(program, kernel):
    """{what: instructions}; None where this processor does not run the kernels."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/callgrind.out", program.resolve(), folder],
            env={**os.environ, "TEMPER_KERNEL": kernel}, capture_output=True, text=True, check=False)
        if done.returncode == 2:
            return None
        found = dumps(folder)
        listed = done.stdout.splitlines()
        if done.returncode or set(listed) != set(found):
            raise SystemExit(f"counts: valgrind has failed: {done.stderr[-500:]}")
        return {what: found[what] for what in listed}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("record", type=pathlib.Path)
    parser.add_argument("--kernels", default="plain,avx2,neon")
    options = parser.parse_args()
    record = {"counts": {}, "missing": {}}
    if not shutil.which("valgrind") or not options.program.exists():
        record["missing"]["instruction counts"] = "valgrind is not here (Debian: valgrind)"
    else:
        for kernel in options.kernels.split(","):
            counts = count(options.program, kernel)
            if counts:
                record["counts"][kernel] = counts
    for kernel, counts in record["counts"].items():
        print(f"\nInstructions, {kernel} kernels")
        for what, number in counts.items():
            print(f"  {what:<62} {number:>14,}")
    for what, why in record["missing"].items():
        print(f"{what}: {why}")
    options.record.write_text(json.dumps(record, indent=1) + "\n", encoding="utf8")


if __name__ == "__main__":
    main()
