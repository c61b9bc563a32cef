"""Which tests execute which lines of src/: from a build that counts them (build/coverage), one test after another."""
import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys

from sandbox import ROOT, STOP, run

TESTED = re.compile(r"^(\w+)\.((?:unit|cli|export|corpus)\.(?!kill$).*)$")
COUNTS = 0x01a10000  # the tag of counts in a .gcda file
NEAR = 12  # lines: a statement begins at most so far above a part of it


def listed_tests(folder):
    """{name without its configuration: (command, environment)} of the tests of a build that can judge: of units, of the
    command, of exported models, of the corpus."""
    listing = subprocess.run(["ctest", "--test-dir", folder, "--show-only=json-v1"], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
    tests = {}
    for test in json.loads(listing)["tests"]:
        matched = TESTED.match(test["name"])
        if matched and "command" in test:
            given = {p["name"]: p["value"] for p in test["properties"]}.get("ENVIRONMENT", [])
            environment = dict(os.environ, **dict(line.split("=", 1) for line in given))
            tests[matched[2]] = (test["command"], environment)
    return tests


def has_counts(counters):
    """Whether a file of counters has any: gcc writes a negative length for a function that was never entered. True for
    what is not understood; gcov decides."""
    words = struct.unpack(f"<{len(counters) // 4}i", counters[:len(counters) // 4 * 4])
    return any(tag == COUNTS and length > 0 for tag, length in zip(words, words[1:]))


def executed(counters, objects, work):
    """{path: lines} that the counters of one test have."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    # gcov finds the notes of the compiler beside the counters.
    names, counted = [], counters / str(objects).lstrip("/")
    for path in counted.rglob("*.gcda"):
        if not has_counts(path.read_bytes()):
            continue
        path.with_suffix(".gcno").symlink_to(objects / path.relative_to(counted).with_suffix(".gcno"))
        names.append(str(path))
    lines = {}
    if names:
        subprocess.run(["gcov", "--json-format", "--preserve-paths", "--hash-filenames", *names], cwd=work, check=True,
                       stdout=subprocess.DEVNULL)
    for report in work.glob("*.gcov.json.gz"):
        with gzip.open(report, "rt", encoding="utf-8") as opened:
            content = json.load(opened)
        for found in content["files"]:
            path = os.path.relpath(os.path.join(content["current_working_directory"], found["file"]), ROOT)
            if path.startswith("src/"):
                hit = {line["line_number"] for line in found["lines"] if line["count"] > 0}
                lines.setdefault(path, set()).update(hit)
    return lines


def test_source(name):
    """Where a test is written."""
    kind, own = name.split(".")[:2]
    if kind == "cli":
        return ROOT / f"tests/cli/cases/{own}.sh"
    if kind == "export":
        return ROOT / f"tests/export/check-{own}"
    if kind == "corpus":
        return ROOT / "tests/corpus" / ("tables" if own == "tables" else "expected.tsv")
    return next((ROOT / "tests/unit").rglob(f"test_{own}.c"))


def fingerprint(name):
    return hashlib.sha256(test_source(name).read_bytes()).hexdigest()[:16]


def recorded(path):
    """{test: row}, the last row of each."""
    return {row["test"]: row for row in map(json.loads, path.read_text().splitlines())} if path.exists() else {}


def measure(folder, out):
    """Runs every test of a coverage build once; of an earlier run it keeps those tests that have not changed."""
    folder, scratch = pathlib.Path(folder).resolve(), out.parent / "map"
    objects = folder / "CMakeFiles/temper_objects.dir"
    known = {name for name, row in recorded(out).items() if row.get("source") == fingerprint(name)}
    tests = listed_tests(folder)
    with open(out, "a", encoding="utf-8") as record:
        for number, (name, (command, environment)) in enumerate(sorted(tests.items(), reverse=True)):  # units first
            if name in known or STOP.is_set():
                continue
            counters = scratch / "counters"
            shutil.rmtree(counters, ignore_errors=True)
            environment = dict(environment, GCOV_PREFIX=str(counters), TEMPER_SHARE="ON")
            verdict, seconds, _ = run(command, environment, scratch / "folder", 600)
            lines = executed(counters, objects, scratch / "gcov")
            print(f"map: {number + 1} of {len(tests)}: {name}: {verdict}, {seconds:.1f} s", file=sys.stderr, flush=True)
            row = {"test": name, "source": fingerprint(name), "seconds": round(seconds, 2),
                   "lines": {path: sorted(hit) for path, hit in sorted(lines.items()) if hit}}
            record.write(json.dumps(row) + "\n")
            record.flush()
    shutil.rmtree(scratch, ignore_errors=True)


class TestMap:
    """The tests of a line, the most specific first."""

    def __init__(self, path, available):
        self.seconds, self.lines, self.reach = {}, {}, {}
        for name, row in recorded(pathlib.Path(path)).items():
            if name not in available:
                continue
            self.seconds[name] = row["seconds"]
            for source, lines in row["lines"].items():
                self.reach[source, name] = len(lines)
                for line in lines:
                    self.lines.setdefault(source, {}).setdefault(line, set()).add(name)
        self.folders = {path.stem.removeprefix("test_"): path.parent.relative_to(ROOT / "tests/unit").as_posix()
                        for path in (ROOT / "tests/unit").rglob("test_*.c")}

    def of_line(self, source, line):
        """All tests that execute the statement which this line is a part of, or the next one: compilers count statements
        of several lines, and declarations, at either. Of a line without code, the tests of the file."""
        lines = self.lines.get(source, {})
        above = next((lines[near] for near in range(line, line - NEAR, -1) if near in lines), set())
        below = next((lines[near] for near in range(line + 1, line + NEAR) if near in lines), set())
        return above | below or set().union(*lines.values())

    def distance(self, source, name):
        """0 for tests of the same folder, 1 for those of the same layer, 2 for other units, 3 for what is no unit."""
        if not name.startswith("unit."):
            return 3
        folder = pathlib.PurePath(source).parent.relative_to("src").as_posix()
        tests = self.folders.get(name.split(".")[1], "")
        if folder == tests:
            return 0
        return 1 if folder.split("/")[0] == tests.split("/")[0] else 2

    def ordered(self, source, line, limits, slowest):
        """At most limits[d] tests of each distance d, of at most slowest[d] seconds; in each, those first that reach much
        of the file in little time."""
        chosen = []
        found = self.of_line(source, line)
        for distance, limit in enumerate(limits):
            level = [name for name in found
                     if self.distance(source, name) == distance and self.seconds[name] <= slowest[distance]]
            level.sort(key=lambda name: ((0.3 + self.seconds[name]) / self.reach[source, name], name))
            chosen += level[:limit]
        return chosen
