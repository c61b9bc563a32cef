"""Whole jobs, from a file to predictions: reading, training, predicting and the most memory, each apart.

    jobs.py TEMPER FOLDER RECORD [--tiny]

Runs each in processes of its own, one thread, in turns; the best of three. Predictions are of the training rows.
Seconds are of the processor; those of reading, and of temper's and Python's training, are wall-clock times, as reported by
them. This script loads nothing large, as a process counts its parent's memory for its own until it begins."""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # the folders of bench/ import each other
from peers import installed  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROUNDS, L2 = 3, 1e-4
SETS = {"a9a": "libsvm", "fashion-0v6": "csv", "made-10k": "csv"}
TINY = {"made-100": "csv"}
PYTHON = {"libsvm": ("load_svmlight_file + lbfgs", "load_svmlight_file + newton-cholesky"),
          "csv": ("pandas + lbfgs", "pandas + newton-cholesky")}


def run(*command):
    """(processor seconds, most memory in bytes, output)"""
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, env=installed.environment())
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"jobs: {command[0]} has failed with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, output


class Job:
    """One file, and who works on it."""

    def __init__(self, temper, path, rows):
        self.temper, self.path, self.rows = temper, path, rows
        self.model = path.with_suffix(".model")

    def ours(self):
        whole, peak, output = run(self.temper, "train", self.path, "-m", self.model, "--threads", "1",
                                  "--calibrate", "none", "--holdout", "none",
                                  "--loss", "logistic", "--scale", "none", "--l2", L2, "--json", "-q")
        told = json.loads(output)["seconds"]
        predict, other, _ = run(self.temper, "predict", "-m", self.model, self.path, "--threads", "1", "-o",
                                self.path.with_suffix(".predicted"), "-q")
        return {"read": told["read"], "fit": told["train"], "predict": predict, "whole": whole + predict,
                "peak": max(peak, other)}

    def liblinear(self):
        cost = f"{1 / (L2 * self.rows):.17g}"
        train = ("liblinear-train", "-s", "0", "-B", "1", "-q", "-c", cost)
        read, _, _ = run(*train, "-e", "1e30", self.path, self.path.with_suffix(".none"))
        whole, peak, _ = run(*train, "-e", "1e-3", self.path, self.model)
        predict, other, _ = run("liblinear-predict", self.path, self.model, self.path.with_suffix(".predicted"))
        return {"read": read, "fit": max(whole - read, 0), "predict": predict, "whole": whole + predict,
                "peak": max(peak, other)}

    def python(self, name):
        reader, solver = name.split(" + ")
        whole, peak, output = run(sys.executable, HERE.parent / "peers" / "job_python.py", self.path, reader, solver, L2)
        return {**json.loads(output), "whole": whole, "peak": peak}

    def measure(self, name):
        return self.ours() if name == "temper" else self.liblinear() if name == "liblinear -s 0" \
            else self.python(name)


def best(answers):
    """The least of each part."""
    return {key: min(answer[key] for answer in answers) for key in answers[0]}


def prepare(name, kind, folder, temper):
    """(path, rows) of the text, or None where its data is missing."""
    done = subprocess.run([sys.executable, HERE.parent / "peers" / "job_python.py", "prepare", name, kind, folder, temper], text=True,
                          stdout=subprocess.PIPE, check=True)
    told = json.loads(done.stdout)
    return told and (pathlib.Path(told["path"]), told["rows"])


def lines_of(title, found):
    """Our reading against theirs: lines that targets are about."""
    return [{"section": "Reading, whole jobs", "what": f"{title}: against {name.split(' + ')[0]}",
             "value": round(row["read"] / found["temper"]["read"], 3), "ours": found["temper"]["read"],
             "theirs": row["read"], "target": 1, "direction": "at least",
             "met": row["read"] >= found["temper"]["read"]}
            for name, row in found.items() if name in ("load_svmlight_file + lbfgs", "pandas + lbfgs")]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("temper", "folder", "record"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--tiny", action="store_true")
    options = parser.parse_args()
    record = {"jobs": [], "lines": [], "missing": {}}
    print("\nWhole jobs: reading, training, predicting (seconds), most memory")
    for title, kind in (TINY if options.tiny else SETS).items():
        text = prepare(title, kind, options.folder, options.temper)
        if not text:
            record["missing"][title] = "its data is not here (TEMPER_DATA names its folder)"
            continue
        names = ["temper", *PYTHON[kind]]
        if kind == "libsvm" and shutil.which("liblinear-train") and shutil.which("liblinear-predict"):
            names.append("liblinear -s 0")
        job = Job(options.temper, *text)
        answers = {name: [] for name in names}
        for _ in range(ROUNDS):
            for name in names:
                answers[name].append(job.measure(name))
        found = {name: best(rows) for name, rows in answers.items()}
        for name, row in found.items():
            print(f"  {title + ', ' + name:<50} {row['read']:8.3f} {row['fit']:8.3f} {row['predict']:8.3f} "
                  f"{row['peak'] / 1e6:8.0f} MB", flush=True)
            record["jobs"].append({"set": title, "name": name, **row})
        record["lines"] += lines_of(title, found)
    for what, why in record["missing"].items():
        print(f"  {what}: {why}")
    options.record.write_text(json.dumps(record, indent=1) + "\n", encoding="utf8")


if __name__ == "__main__":
    main()
