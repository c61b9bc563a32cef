"""Whole trainings against LIBLINEAR and scikit-learn: how long until the objective is within 1e-4 of
the smallest. One thread each, in turns, the best of several; docs/benchmarks.md has the rules.

    train.py TEMPER FOLDER RECORD [--quick] [--only SET] [--search [NAME]...]

--quick takes two rounds instead of five, stops each after 30 seconds, and leaves saga out.
--search looks for the loosest tolerance of each that gets there, and prints bench/train_sets.json."""
import argparse
import json
import pathlib
import shutil
import sys

import train_run

HERE = pathlib.Path(__file__).resolve().parent
CLOSE = 1e-4  # relative, in the objective
CAP, QUICK_CAP = 60, 30  # processor seconds
ROUNDS, QUICK_ROUNDS, LONG = 5, 2, 4  # what takes more seconds than LONG is run once
LADDER = [1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 1e-7]
SKLEARN = ("lbfgs", "newton-cholesky", "saga")
LIBLINEAR = {"liblinear -s 0": "0", "liblinear -s 7": "7"}


class Contest:
    """All who train on one set."""

    def __init__(self, runner, entry, rounds):
        self.runner, self.entry, self.rounds = runner, entry, rounds
        self.stars = runner.stars()

    def gap(self, name, answer):
        star = self.stars["liblinear" if name in LIBLINEAR else "ours"]
        gap = (answer["objective"] - star) / star
        if gap < -CLOSE / 10:
            raise SystemExit(f"bench: {name} is below the optimum, by {-gap:.1e}: a wrong reference")
        return gap

    def reached(self, name, answer):
        """One against the rest is another objective: there, as accurate on test rows."""
        if answer is None:
            return False
        if name in LIBLINEAR and self.runner.classes > 2:
            return answer["accuracy"] >= self.stars["accuracy"] - 1e-3
        return self.gap(name, answer) <= CLOSE

    def search(self, name):
        """The loosest tolerance that gets there, and whether it does within the time."""
        rest, answers = name in LIBLINEAR and self.runner.classes > 2, []
        for tol in LADDER:
            answer = self.runner.run(name, tol)
            if answer is None:
                return (self.settled(answers), "never") if rest and answers else (tol, "late")
            if self.reached(name, answer):
                return tol, "reached"
            answers.append((tol, answer["accuracy"]))
        return self.settled(answers) if rest else LADDER[-1], "never"

    @staticmethod
    def settled(answers):
        """Of models against the rest that are never as accurate: the loosest that is as accurate
        as they get."""
        best = max(accuracy for _, accuracy in answers)
        return next(tol for tol, accuracy in answers if accuracy >= best - 1e-3)

    def measure(self, names):
        """The best answer of each; None for what took too long."""
        best = {}
        for turn in range(self.rounds):
            for name in names:
                if turn and (best[name] is None or best[name]["seconds"] > LONG):
                    continue
                answer = self.runner.run(name, self.entry["tol"][name])
                if turn == 0 or answer["seconds"] < best[name]["seconds"]:
                    best[name] = answer
        return best


class Record:
    """Prints lines as the rest of the bench does, and keeps them."""

    def __init__(self, cap):
        self.lines, self.section, self.cap = [], "", cap

    def begin(self, title):
        self.section = title
        print(f"\n{title}")

    def ratio(self, what, theirs, ours, target):
        """theirs: seconds, or None for more than the cap."""
        value = (theirs or self.cap) / ours
        met = value >= target
        self.lines.append({"section": self.section, "what": what, "value": round(value, 3),
                           "ours": round(ours, 4), "theirs": theirs and round(theirs, 4),
                           "target": target, "direction": "at least", "met": met,
                           "bound": theirs is None})
        verdict = "met" if met else "not known" if theirs is None else "MISSED"
        seconds = f"{theirs:.3f}" if theirs else f">{self.cap}"
        print(f"  {what:<62} {seconds:>8} / {ours:8.3f} s = {'>' if theirs is None else ''}"
              f"{value:.1f}x  (at least {target:g})  {verdict}", flush=True)

    def note(self, text):
        print(f"  {text}", flush=True)


def compare(record, contest, entry):
    names = ["temper", *entry["tol"]] if "temper" not in entry["tol"] else list(entry["tol"])
    best = contest.measure(names)
    ours, target = best["temper"], entry.get("target", 1)
    record.note(f"temper: {ours['solver']}, {ours['evaluations']} evaluations, "
                f"{ours['seconds']:.3f} s ({ours['whole']:.3f} with reading), gap "
                f"{contest.gap('temper', ours):.1e}, test accuracy {ours['accuracy']:.4f}"
                + ("" if contest.reached("temper", ours) else ", NOT REACHED"))
    for name in names:
        theirs = best[name]
        if name == "temper":
            continue
        seconds = theirs and theirs["seconds"]
        if not (name in LIBLINEAR and theirs is None):
            record.ratio(f"{name}, training alone{late(contest, name, theirs)}", seconds,
                         ours["seconds"], target)
        if name in LIBLINEAR:
            record.ratio(f"{name}, the whole command{late(contest, name, theirs)}",
                         theirs and theirs["whole"], ours["whole"], target)


def late(contest, name, answer):
    if answer is None:
        return ""
    gap = f", test accuracy {answer['accuracy']:.4f}" if name in LIBLINEAR and \
        contest.runner.classes > 2 else f", gap {contest.gap(name, answer):.0e}"
    return gap if contest.reached(name, answer) else gap + " (not reached)"


def missing(folder):
    """Who is not here; says so."""
    gone = set()
    if not shutil.which("liblinear-train"):
        print("  LIBLINEAR is not here (on Debian: liblinear-tools): not compared")
        gone |= set(LIBLINEAR)
    return gone


def find_tolerances(contest, entry, again):
    """Of those named in `again`, or of all."""
    tol = {}
    for name in ("temper", *LIBLINEAR, *SKLEARN):
        if name in entry.get("skip", ()) or name not in (again or (name,)):
            tol.update({k: v for k, v in entry.get("tol", {}).items() if k == name})
            continue
        tol[name], how = contest.search(name)
        print(f"    {name}: {tol[name]:g} {how}", file=sys.stderr, flush=True)
    return tol


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("temper", "folder", "record"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--search", nargs="*")
    options = parser.parse_args()
    sets = json.loads((HERE / "train_sets.json").read_text())
    cap, rounds = (QUICK_CAP, QUICK_ROUNDS) if options.quick else (CAP, ROUNDS)
    record = Record(cap)
    for name, entry in sets.items():
        if options.only not in (None, name):
            continue
        record.begin(f"Training to within 1e-4 of the optimum: {entry['title']}")
        gone = missing(options.folder) | ({"saga"} if options.quick else set())
        try:
            runner = train_run.Runner(options.temper, options.folder / name, entry["l2"], cap)
        except train_run.Missing as reason:
            record.note(f"{reason}: not compared")
            continue
        contest = Contest(runner, entry, rounds)
        if options.search is not None:
            entry["tol"] = find_tolerances(contest, entry, options.search)
            print(json.dumps({name: entry}), flush=True)
        else:
            entry["tol"] = {k: v for k, v in entry["tol"].items() if k not in gone}
            compare(record, contest, entry)
        runner.close()
    if options.search is None:
        options.record.write_text(json.dumps(record.lines, indent=1) + "\n")
        print(f"\nrecord: {options.record}")


main()
