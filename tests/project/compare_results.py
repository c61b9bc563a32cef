#!/usr/bin/env python3
"""Are the files of two folders the same, but for the rounding of numbers?

    tests/project/compare_results.py EXPECTED ACTUAL

The C libraries of two systems differ in the last digits of exp and log. Binary files must be equal; in texts every word
must be, and every number within a relative 1e-6 or an absolute 1e-6. Prints how many files are equal byte by byte."""
import pathlib
import re
import sys

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
# What a model says of the run: seconds, the version of the program, its checksum.
CHANGING = re.compile(r"^.*(second|version|checksum|kernel|threads).*$", re.M)


def largest_difference(expected, actual):
    """The largest relative difference of numbers, or None if the words differ."""
    if NUMBER.sub("#", expected) != NUMBER.sub("#", actual):
        return None
    pairs = zip(NUMBER.findall(expected), NUMBER.findall(actual), strict=True)
    return max((abs(float(a) - float(b)) / max(1.0, abs(float(a))) for a, b in pairs), default=0.0)


def main(expected_folder, actual_folder):
    equal, faults = 0, []
    names = sorted(path.name for path in expected_folder.iterdir())
    for name in names:
        expected, actual = ((folder / name).read_bytes() for folder in (expected_folder, actual_folder))
        if expected == actual:
            equal += 1
            continue
        try:
            texts = [CHANGING.sub("", content.decode()) for content in (expected, actual)]
        except UnicodeDecodeError:
            faults.append(f"{name}: differs")
            continue
        difference = largest_difference(*texts)
        if difference is None or difference > 1e-6:
            faults.append(f"{name}: " + ("other words" if difference is None else f"numbers differ by {difference:.1e}"))
        else:
            print(f"{name}: numbers differ by {difference:.1e} at most")
    print(f"{equal} of {len(names)} files are equal byte by byte")
    return faults


if __name__ == "__main__":
    found = main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
    print("\n".join(found), file=sys.stderr)
    sys.exit(bool(found))
