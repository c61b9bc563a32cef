"""Everything that is measured, in one run and one record:

    suite.py BUILD OUT [--full | --tiny] [--only PART,...] [--keep]

BUILD has the programs (build/bench); OUT gets a record of each part, and of all record.json, index.html and table.md.
Without --full it takes at most 25 minutes: what is not begun by then is named in the record as not measured, as is
each peer that is not installed. --keep takes in the parts that an earlier run into OUT has finished, and continues where
one was cut; Ctrl-C keeps what there is. --tiny is for tests: made data, seconds. A part that fails fails the run, after
the others."""
import argparse
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from peers import installed
from report import page
from report import record

HERE = pathlib.Path(__file__).resolve().parent
BUDGET = 1500  # seconds
TINY_SECTIONS = ["margins"]
NEEDS_SKLEARN = ("trainings", "two-threads", "many-fits", "jobs", "quality", "tune")
PIECEWISE = ("trainings", "two-threads", "quality")  # their scripts save piece by piece, and take --keep
PYTHON_CAP = 10  # seconds of a fit by the Python package or beside it; the trainings give each longer
# Run once more as on a processor without AVX-512, where this one has it; trainings, fits and predictions measure both by themselves.
NARROW = " avx2"
NARROW_SECTIONS = ["margins", "softmax", "linear", "many", "group", "sparse", "evaluate", "below-one", "passes"]  # not reading
TORCH_CASES = ((10, 0.1, 1.12), (1000, 0.1, 1.12))


def python(script, *words):
    return [sys.executable, HERE / script, *words]


def steps(build, out, size):
    """{part: (command, its record)}, in the order of what matters most when time is short."""
    temper, work, quick = build / "temper", build / "train", ["--" + size] if size in ("quick", "tiny") else []
    only = ["--only", "made-100", "--quick"] if size == "tiny" else quick
    tiny = ["--tiny"] if size == "tiny" else []
    sections = TINY_SECTIONS if size == "tiny" else []
    package = build.parent / "venv-python" / "bin" / "python"
    found = {
        "trainings": python("training/train.py", temper, work, out / "trainings.json", *only),
        "two-threads": python("training/train.py", temper, work, out / "two-threads.json", *only, "--threads", "2", "--near",
                              out / "trainings.json"),
        "many-fits": python("training/many_fits.py", out / "many-fits.json", *quick),
        "predict": [package, HERE / "peers" / "predict.py", out / "predict.json", *quick],
        "kernels": [build / "bin" / "bench", out / "kernels.json", work, *sections],
        "threads": python("scaling/threads.py", temper, out / "threads.json", "--quick"),
        "growth": python("scaling/growth.py", temper, out / "growth.json", *quick, "--bench", build / "bin" / "bench"),
        "jobs": python("training/jobs.py", temper, work, out / "jobs.json", *tiny),
        "counts": python("kernels/counts.py", build / "bin" / "counts", out / "counts.json",
                         *(["--kernels", "plain"] if tiny else [])),
        "quality": python("quality/quality.py", temper, work, out / "quality.json", *quick),
        "tune": python("training/tune.py", temper, work, out / "tune.json"),
        "python": [package, HERE / "training" / "python_fit.py", out / "python.json", "--cap", PYTHON_CAP],
    }
    if size != "tiny" and installed.has_avx512():
        found["kernels" + NARROW] = [build / "bin" / "bench", out / f"kernels{NARROW}.json", work, *NARROW_SECTIONS]
        for name in ("growth", "threads"):
            found[name + NARROW] = [word if word != out / f"{name}.json" else out / f"{name}{NARROW}.json" for word in found[name]]
    left_out = {"full": (), "quick": ("tune", "python"), "tiny": ("many-fits", "predict", "threads", "growth", "tune", "python")}
    return {name: command for name, command in found.items() if name not in left_out[size]}


# ---- Parts of its own --------------------------------------------------------------------------------------------


def allreduce(build):
    """Sums over two processes, of three sizes, and nothing else."""
    program, mpirun = build / "bin" / "allreduce", shutil.which("mpirun")
    if not program.exists() or not mpirun:
        return {"missing": {"MPI allreduce": "no MPI is here (Debian: libopenmpi-dev, openmpi-bin)"}}
    words = [mpirun, "-n", "2", program]
    more = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    done = subprocess.run(words, env={**os.environ, **more}, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"missing": {"MPI allreduce": f"mpirun has failed: {done.stderr.strip()[-200:]}"}}
    pairs = [line.split() for line in done.stdout.splitlines()]
    return {"limits": [{"what": f"MPI allreduce of {int(count):,} doubles, 2 processes", "value": float(us),
                        "unit": "us"} for count, us in pairs]}


def torch_losses(kernels):
    """PyTorch's bi-tempered loss against ours, which the kernels have measured: lines."""
    if not installed.has_torch():
        return {"missing": {"PyTorch": installed.missing()["torch lbfgs"]}}
    lines = []
    for classes, t1, t2 in TORCH_CASES:
        ours = next((line["value"] for line in kernels["lines"] if re.fullmatch(
            rf"softmax \({t1}, {t2}\), C = {classes}, ns a row, lambda kept", line["what"])), None)
        if ours is None:
            continue
        command = [installed.TORCH_PYTHON, HERE / "peers" / "peer_torch.py", "loss", str(classes), str(t1), str(t2)]
        told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        theirs = told["nanoseconds"]
        lines.append({"section": "Tempered softmax and gradient of a row (f32)",
                      "what": f"C = {classes}, against PyTorch's bi-tempered loss", "value": round(theirs / ours, 1),
                      "ours": ours, "theirs": theirs, "target": 1, "direction": "at least", "met": theirs >= ours})
    return {"lines": lines}


def tune_lines(told):
    """What bench/training/tune.py wrote, as lines like all others."""
    return {"lines": [{"section": "A whole grid", "what": row["what"], "value": row["ratio"], "target": row["target"],
                       "direction": "at least", "met": row["ratio"] >= row["target"], "note": row["note"]}
                      for row in told.get("ratios", ())]}


def narrow_lines(told):
    """What a part wrote that ran with AVX2: said so where it was measured, and its targets judged as the others."""
    return {**told, "lines": [{**line, "section": named_narrow(line["section"])} for line in told.get("lines", ())],
            "series": [{**line, "name": named_narrow(line["name"])} for line in told.get("series", ())],
            "limits": [{**line, "what": named_narrow(line["what"])} for line in told.get("limits", ())]}


def named_narrow(name):
    return name if name.endswith(", AVX2") else f"{name}, AVX2"


# ---- The run -------------------------------------------------------------------------------------------------------


class Suite:
    def __init__(self, options):
        self.size = "full" if options.full else "tiny" if options.tiny else "quick"
        self.build, self.out, self.keep = options.build, options.out, options.keep
        self.end = time.monotonic() + (float("inf") if self.size == "full" else BUDGET)
        self.found, self.failed = record.empty(), []

    def why_not(self, name, command):
        """What a part lacks, or None."""
        if name in NEEDS_SKLEARN and not importlib.util.find_spec("sklearn"):
            return "scikit-learn is not here (tools/setup bench)"
        if name == "two-threads" and not self.read("trainings").get("trainings"):
            return "it compares with peers that are near with one thread, and none was measured"
        if name == "many-fits" and not importlib.util.find_spec("temperlr"):
            return "the Python package is not installed beside the peers (make bench does)"
        if name in ("python", "predict") and not command[0].exists():
            return "the Python package is not built (tools/setup bench, tools/python build)"
        return "the time of make bench was over; make bench-full has it" if time.monotonic() >= self.end else None

    def read(self, name):
        """What a part has written, or nothing."""
        path = self.out / f"{name}.json"
        told = json.loads(path.read_text(encoding="utf8")) if path.exists() else {}
        told = {"lines": told} if isinstance(told, list) else told  # the C bench writes its lines alone
        told = narrow_lines(told) if name.endswith(NARROW) else told
        return {**told, **tune_lines(told)} if name == "tune" else told

    def kept(self, name):
        """Whether an earlier run has finished it, which then is taken in."""
        told = self.read(name) if self.keep else {}
        if not told.get("took"):
            return False
        record.merge(self.found, told)
        print(f"{name}: kept, of {', '.join(sorted({entry['when'] for entry in told['measured'].values()}))}")
        return True

    def leave(self, name):
        """Of a part that is not run now, with --keep: what an earlier run has of it."""
        if self.kept(name) or not self.keep or not self.read(name):
            return
        record.merge(self.found, self.read(name))
        self.found["missing"][name] = "some of it is not run yet; --keep continues it"

    def part(self, name, command):
        """Runs one, and takes in what it wrote; of one that was cut, what it had by then."""
        if self.kept(name):
            return
        reason = self.why_not(name, command)
        if reason:
            self.found["missing"][name] = reason
            return
        start = time.monotonic()
        try:
            whole = self.run(name, command)
        except KeyboardInterrupt:
            self.found["missing"][name] = "stopped before its end; --keep continues it"
            record.merge(self.found, self.read(name))
            raise
        told = self.complete(name, time.monotonic() - start) if whole else self.read(name)
        record.merge(self.found, told)

    def run(self, name, command):
        """Whether it came to its end."""
        path = self.out / f"{name}.json"
        if self.keep and name in PIECEWISE:
            command = [*command, "--keep"]
        else:
            path.unlink(missing_ok=True)
        try:
            kernel = {"TEMPER_KERNEL": "avx2"} if name.endswith(NARROW) else {}
            done = subprocess.run([str(word) for word in command], check=False, env={**installed.environment(), **kernel},
                                  timeout=None if self.size == "full" else self.end - time.monotonic())
        except subprocess.TimeoutExpired:
            self.found["missing"][name] = "not done when the time of make bench was over; make bench-full has all of it"
            return False
        except FileNotFoundError:
            self.failed.append(f"{name}: {command[0]} is not there; tools/build bench makes it")
            return False
        if done.returncode or not path.exists():
            self.failed.append(f"{name}: failed with {done.returncode}")
            return False
        return True

    def complete(self, name, seconds):
        """Adds to the record of a part what only the run knows, so that --keep finds it there."""
        told = self.read(name)
        if name == "kernels":
            for more in (allreduce(self.build), torch_losses(told)):
                record.merge(told, more)
        told["took"] = {name: round(seconds, 1)}
        told.setdefault("measured", {name: record.stamp(self.build / "temper")})
        record.save(told, self.out / f"{name}.json")
        return told

    def finish(self):
        record.save(self.found, self.out / "record.json")
        (self.out / "index.html").write_text(page.write_html(self.found), encoding="utf8")
        (self.out / "table.md").write_text(page.write_markdown(self.found), encoding="utf8")
        for what, why in sorted(self.found["missing"].items()):
            print(f"not compared: {what}: {why}")
        for fault in self.failed:
            print(f"suite: {fault}", file=sys.stderr)
        print(f"record: {self.out / 'record.json'}, page: {self.out / 'index.html'}")
        return 1 if self.failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    for name in ("--full", "--tiny", "--keep"):
        parser.add_argument(name, action="store_true")
    parser.add_argument("--only", type=lambda text: text.split(","), default=[])
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    (options.build / "train").mkdir(parents=True, exist_ok=True)
    suite = Suite(options)
    try:
        for name, command in steps(options.build, options.out, suite.size).items():
            if not options.only or name in options.only:
                suite.part(name, command)
            else:
                suite.leave(name)
    except KeyboardInterrupt:
        suite.failed.append("stopped: what there is was kept; the same with --keep continues")
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
