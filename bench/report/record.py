"""The record of a run: what each part of the bench wrote, as one object.

lines      what was measured beside its target: section, what, value, target, direction, met
trainings  whole trainings: set, threads, name, seconds (best), median, slowest, rounds, gap, reached
jobs       reading, training, predicting and memory of whole jobs: set, name, read, fit, predict, peak
limits     what the machine can do: what, value, unit
quality    accuracy on clean rows after training on noisy labels: set, noise, rate, name, accuracy
audits     wrong labels found: set, noise, rate, name, precision, seconds
counts     instructions: {kernel: {what: number}}
series     growth: name, x, seconds, bytes, exponent
missing    {who or what: why it was not measured}
measured   {part, or "part: piece of it": when and with which program}"""
import datetime
import functools
import hashlib
import json
import os
import pathlib
import platform
import subprocess

LISTS = ("lines", "trainings", "jobs", "limits", "quality", "audits", "series")
DICTS = ("counts", "missing", "took", "measured")


def empty():
    return {**{key: [] for key in LISTS}, **{key: {} for key in DICTS}, "machine": machine()}


def machine():
    """What a reader must know to compare with another machine."""
    info = pathlib.Path("/proc/cpuinfo")
    names = [line.split(":", 1)[1].strip() for line in info.read_text().splitlines()
             if line.startswith("model name")] if info.exists() else []
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0
    return {"processor": names[0] if names else platform.machine(), "cores": os.cpu_count(),
            "load": round(load, 1)}


NOISE = 0.9  # a peer that is faster by less, and some of whose rounds are slower than one of temper, is as fast


def within_noise(ours, theirs):
    """Whether two trainings differ by less than the rounds of one of them: the slowest round of theirs took longer than the fastest of
    ours, and their median is at least NOISE of ours."""
    return theirs.get("slowest", theirs["median"]) >= ours["seconds"] and theirs["median"] >= NOISE * ours["median"]


def merge(record, part):
    """Adds what a part wrote. The C bench writes its lines alone."""
    if isinstance(part, list):
        part = {"lines": part}
    for key, value in part.items():
        if key in LISTS:
            record.setdefault(key, []).extend(value)
        elif key in DICTS:
            record.setdefault(key, {}).update(value)
    return record


def load(path):
    """A record, or what a single part wrote."""
    found = json.loads(pathlib.Path(path).read_text(encoding="utf8"))
    whole = merge(empty(), found)
    if isinstance(found, dict) and "machine" in found:
        whole["machine"] = found["machine"]
    return whole


def save(record, path):
    """Whole or not at all: a run may be stopped at any time."""
    part = pathlib.Path(f"{path}.part")
    part.write_text(json.dumps(record, indent=1) + "\n", encoding="utf8")
    part.replace(path)


@functools.cache
def program(temper):
    """Its version and what distinguishes one build from another; and the commit of the tree, if it is known."""
    version = subprocess.run([temper, "--version"], check=True, capture_output=True, text=True).stdout.split("\n")[0]
    git = subprocess.run(["git", "-C", pathlib.Path(__file__).parent, "rev-parse", "--short", "HEAD"], check=False,
                         capture_output=True, text=True).stdout.strip()
    digest = hashlib.sha256(pathlib.Path(temper).read_bytes()).hexdigest()[:12]
    return {"program": f"{version}, binary {digest}", "commit": git}


def stamp(temper):
    return {"when": datetime.datetime.now().strftime("%Y-%m-%d %H:%M"), **program(temper)}
