"""Whole trainings against others: how long until the objective is within 1e-4 of the smallest. One thread
each, in turns, the median of several rounds; docs/benchmarks.md has the rules.

    train.py TEMPER FOLDER RECORD [--quick] [--threads N] [--near RECORD] [--only SET] [--among NAME,...] [--cap SECONDS] [--keep]
        [--search [NAME]...]

--only shape: all of bench/training/shapes.py.
A training is stopped after 20 seconds, or what bench/training/train_sets.json says of one peer on a set. --quick takes three rounds
instead of five, stops a training after ten times the seconds of temper (at least 1, at most 8), and leaves out saga, glmnet and the sets that are
marked as long. --threads 2 gives two threads to all that can use them, and takes seconds on the wall. --near leaves out
the peers that took more than five times as long as temper in that record. Each set is saved as soon as it is done; --keep
continues with those that are not in RECORD. --search looks for the loosest tolerance of each that gets there, and prints
bench/training/train_sets.json."""
import argparse
import json
import math
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # the folders of bench/ import each other
from peers import installed  # noqa: E402
from training import train_run  # noqa: E402
from peers import train_solvers  # noqa: E402
from report.record import save, stamp, within_noise  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
CLOSE = 1e-4  # relative, in the objective
CAP, QUICK_CAP = 20, 8  # processor seconds
FAR = 10  # with --quick, a peer that takes so many times the seconds of temper is stopped
NEAR = 5  # --near
ROUNDS, QUICK_ROUNDS = 5, 3
LONG, QUICK_LONG = 4, 0.5  # what takes more seconds is run once
LADDER = [1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 1e-7]
STEPS = 4  # down the ladder from the tolerance in the file, where that does not get there any more
LIBLINEAR = ("liblinear -s 0", "liblinear -s 2", "liblinear -s 7")
SLOW = ("saga", "glmnet")  # no part of --quick
OTHER_LOSS = ("liblinear -s 2",)  # a squared hinge: not our objective, so as accurate is near enough
SNAP = ("snapml primal", "snapml dual")
REST = (*LIBLINEAR, "sgd", *SNAP)  # one against the rest, of many classes: another objective again
PENALISED = ("liblinear -s 0", "liblinear -s 7", *train_solvers.PENALISED)  # of two classes: with the intercept
OURS = ("temper", "temper avx2")  # the second where the processor has AVX-512: as it would be without
# Where the file has none: what each needed on most sets.
TOLERANCE = {"newton-cg": 1e-3, "liblinear": 1e-3, "sgd": 1e-4, "xgboost gblinear": 1e-3, "vw bfgs": 1e-4,
             "torch lbfgs": 1e-3, "temper avx2": 1e-3, "snapml primal": 1e-2, "snapml dual": 1e-2, "sklearnex lbfgs": 1e-4,
             "sklearnex newton-cg": 1e-3, "mlpack lbfgs": 1e-2, "glmnet": 1e-3, "lbfgs": 1e-3, "newton-cholesky": 1e-3,
             "saga": 1e-3, "temper": 1e-3, "liblinear -s 0": 1e-2, "liblinear -s 2": 1e-2, "liblinear -s 7": 1e-1}


class Contest:
    """All who train on one set."""

    def __init__(self, runner, entry, quick):
        self.runner, self.entry = runner, entry
        self.rounds, self.long, self.quick = *((QUICK_ROUNDS, QUICK_LONG) if quick else (ROUNDS, LONG)), quick
        self.stars, self.failed = runner.stars(), {}

    def by_accuracy(self, name):
        return name in OTHER_LOSS or (name in REST and self.runner.classes > 2)

    def gap(self, name, answer):
        star = self.stars["liblinear" if name in PENALISED else "ours"]
        gap = (answer["objective"] - star) / star
        if gap < -CLOSE / 10:
            raise SystemExit(f"bench: {name} is below the optimum, by {-gap:.1e}: a wrong reference")
        return gap

    def reached(self, name, answer):
        """Where the objective is another: as accurate on test rows."""
        if answer is None:
            return False
        if self.by_accuracy(name):
            return answer["accuracy"] >= self.stars["accuracy"] - 1e-3
        return self.gap(name, answer) <= CLOSE

    def search(self, name):
        """The loosest tolerance that gets there, and whether it does within the time."""
        answers = []
        for tol in LADDER:
            answer = self.runner.run(name, tol)
            if answer is None:
                return (self.settled(answers), "never") if self.by_accuracy(name) and answers else (tol, "late")
            if self.reached(name, answer):
                return tol, "reached"
            answers.append((tol, answer["accuracy"]))
        return self.settled(answers) if self.by_accuracy(name) else LADDER[-1], "never"

    @staticmethod
    def settled(answers):
        """Of models of another objective that are never as accurate: the loosest that is as accurate as
        they get."""
        best = max(accuracy for _, accuracy in answers)
        return next(tol for tol, accuracy in answers if accuracy >= best - 1e-3)

    def first(self, name):
        """(tolerance, answer): that of the file, or the first below it that gets there in time."""
        tol = self.entry["tol"].get("temper" if name in OURS else name) or TOLERANCE[name]
        answer = self.runner.run(name, tol)
        for tighter in [step for step in LADDER if step < tol][:STEPS]:
            if answer is None or self.reached(name, answer) or name in self.entry["tol"]:
                break
            next_answer = self.runner.run(name, tighter)
            if next_answer is None:
                break  # what took too long is no answer: the best that was had stays
            tol, answer = tighter, next_answer
        return tol, answer

    def measure(self, names):
        """The best answer of each, with the seconds of all rounds; None for what took too long."""
        best, tol, seconds = {}, {}, {}
        for name in names:
            try:
                tol[name], best[name] = self.first(name)
            except train_run.Missing as reason:
                self.failed[name] = str(reason)
                continue
            seconds[name] = [best[name]["seconds"]] if best[name] else []
            if name == "temper" and self.quick:
                self.runner.stop_after(max(1, math.ceil(FAR * best[name]["seconds"])))
        for _ in range(self.rounds - 1):
            for name in best:
                if best[name] is None or best[name]["seconds"] > self.long:
                    continue
                answer = self.runner.run(name, tol[name])
                if answer is None:
                    continue
                seconds[name].append(answer["seconds"])
                if answer["seconds"] < best[name]["seconds"]:
                    best[name] = answer
        for name in best:
            if best[name]:
                best[name].update(median=statistics.median(seconds[name]), slowest=max(seconds[name]),
                                  rounds=len(seconds[name]), tol=tol[name])
        return best


class Record:
    """Prints lines as the rest of the bench does, and keeps them."""

    def __init__(self, path, temper, part):
        self.path, self.temper, self.part, self.section = path, temper, part, ""
        self.found = {"lines": [], "trainings": [], "missing": {}, "measured": {}}

    def take_in(self):
        """The sets that an earlier run has done."""
        if self.path.exists():
            self.found.update(json.loads(self.path.read_text(encoding="utf8")))

    def has(self, name):
        return f"{self.part}: {name}" in self.found["measured"]

    def begin(self, title):
        self.section = title
        print(f"\n{title}")

    def ratio(self, what, theirs, cap, ours, target, note="", as_fast=False):
        """theirs: seconds, or None for more than the cap. A peer that did not get there is not judged by time; one that is faster
        within the noise of the rounds (as_fast) does not miss a target of 1."""
        value = (cap if theirs is None else theirs) / ours
        unknown = "not reached" in note or (theirs is None and value < target)
        near = as_fast and target == 1 and value < 1
        met = None if unknown else value >= target or near
        self.found["lines"].append({"section": self.section, "what": what, "value": round(value, 3),
                                    "ours": round(ours, 5), "theirs": theirs and round(theirs, 5),
                                    "target": target, "direction": "at least", "met": met,
                                    "bound": theirs is None, "note": note + (" (within noise)" if near and met else "")})
        verdict = "met" if met else "MISSED" if met is False else "not known" if theirs is None else "not judged"
        verdict += " within noise" if near and met else ""
        seconds = f">{cap}" if theirs is None else f"{theirs:.4f}"
        print(f"  {what + (', ' if note else '') + note:<62} {seconds:>8} / {ours:8.4f} s = "
              f"{'>' if theirs is None else ''}{value:.1f}x  (at least {target:g})  {verdict}", flush=True)

    def note(self, text):
        print(f"  {text}", flush=True)

    def leave_out(self, gone):
        """Who is not here is said once, and stays in the record."""
        for name, why in gone.items():
            if name not in self.found["missing"]:
                self.note(f"{name}: {why}: not compared")
        self.found["missing"].update(gone)

    def save(self, name):
        """After each set, so that a run that is stopped has those before."""
        self.found["missing"].pop(name, None)
        self.found["measured"][f"{self.part}: {name}"] = {**stamp(self.temper), "peers": installed.versions()}
        save(self.found, self.path)


def compare(record, contest, entry, names):
    best = contest.measure(names)
    if "temper" not in best:
        raise train_run.Missing(contest.failed["temper"])
    record.leave_out({f"{who} on {entry['title']}": why for who, why in contest.failed.items()})
    for ours in OURS:
        if ours in best:
            introduce(record, contest, ours, best[ours])
    for name, theirs in best.items():
        record.found["trainings"].append(summary(contest, entry, name, theirs))
        for ours in OURS if name not in OURS else ():
            if ours in best:
                beside(record, contest, entry, name, theirs, (ours, best[ours]))


def introduce(record, contest, name, ours):
    record.note(f"{name}: {ours['solver']}, {ours['evaluations']} evaluations, "
                f"{ours['median']:.4f} s ({ours['whole']:.3f} with reading), gap "
                f"{contest.gap('temper', ours):.1e}, test accuracy {ours['accuracy']:.4f}"
                + ("" if contest.reached("temper", ours) else ", NOT REACHED"))


def beside(record, contest, entry, name, theirs, pair):
    """One peer beside one kernel of ours."""
    (kernel, ours), cap, target = pair, contest.runner.cap(name), entry.get("target", 1)
    note = late(contest, name, theirs)
    which = f"{name}, " + ("" if kernel == "temper" else f"against {kernel}, ")
    if not (name in LIBLINEAR and theirs is None):
        record.ratio(f"{which}training alone", theirs and theirs["median"], cap, ours["median"], target, note,
                     theirs is not None and within_noise(ours, theirs))
    if name in LIBLINEAR:
        record.ratio(f"{which}the whole command", theirs and theirs["whole"], cap, ours["whole"], target, note)


def summary(contest, entry, name, answer):
    """What the page draws of one training."""
    about = {"set": entry["title"], "name": name, "rows": contest.runner.rows, "cap": contest.runner.cap(name),
             "threads": contest.runner.threads}
    if answer is None:
        return {**about, "seconds": None}
    by_accuracy = contest.by_accuracy(name)
    return {**about, "seconds": answer["seconds"], "median": answer["median"], "slowest": answer["slowest"], "rounds": answer["rounds"],
            "tol": answer["tol"], "accuracy": answer["accuracy"],
            "gap": None if by_accuracy else contest.gap(name, answer),
            "reached": contest.reached(name, answer)}


def late(contest, name, answer):
    if answer is None:
        return ""
    gap = f"test accuracy {answer['accuracy']:.4f}" if contest.by_accuracy(name) else \
        f"gap {contest.gap(name, answer):.0e}"
    return gap if contest.reached(name, answer) else gap + " (not reached)"


def contestants(entry, runner, gone):
    """Those who can train on this set: who is not here, or has no way to do so, is left out."""
    names = ["temper", *(["temper avx2"] if installed.has_avx512() else []), *LIBLINEAR, *train_solvers.NAMES, "vw bfgs", "glmnet", "torch lbfgs"]
    unfit = set(gone) | set(entry.get("skip", {}))
    unfit |= {"vw bfgs", "liblinear", "mlpack lbfgs"} if runner.classes > 2 else set()
    unfit |= {"torch lbfgs", *train_solvers.DENSE} if runner.sparse else set()
    unfit |= {"torch lbfgs", "vw bfgs", "glmnet"} if runner.threads > 1 else set()  # their scripts are for one
    return [name for name in names if name not in unfit]


def find_tolerances(contest, entry, names, again):
    """Of those named in `again`, or of all."""
    tol = {}
    for name in (name for name in names if name != "temper avx2"):
        if name not in (again or (name,)):
            tol.update({k: v for k, v in entry.get("tol", {}).items() if k == name})
            continue
        tol[name], how = contest.search(name)
        print(f"    {name}: {tol[name]:g} {how}", file=sys.stderr, flush=True)
    return tol


def wanted(sets, options):
    for name, entry in sets.items():
        if options.only in (name, name.split("-")[0]) or (options.only is None and not (entry.get("long") and options.quick)):
            yield name, entry


def caps_of(entry, options):
    """The most seconds of each: what the command line says, or the file, or a few."""
    if options.cap or options.quick:
        return {"all others": options.cap or QUICK_CAP}
    return {"all others": CAP, **entry.get("caps", {})}


def near_peers(path, title):
    """Those that took at most NEAR times as long as temper on this set, in an earlier record."""
    rows = {row["name"]: row for row in json.loads(path.read_text(encoding="utf8"))["trainings"] if row["set"] == title}
    return {name for name, row in rows.items()
            if row["seconds"] and row["reached"] and row["median"] <= NEAR * rows["temper"]["median"]}


def measure(record, name, entry, options):
    """One set."""
    gone = {**installed.missing(), **(dict.fromkeys(SLOW, "only in make bench-full") if options.quick else {})}
    runner = train_run.Runner(options.temper, options.folder / name, entry["l2"], caps_of(entry, options), options.threads)
    record.leave_out(gone)
    record.leave_out({f"{who} on {name}": why for who, why in entry.get("skip", {}).items()})
    near = near_peers(options.near, entry["title"]) if options.near else None
    names = [name for name in contestants(entry, runner, gone)
             if name in OURS or (name in (options.among or [name]) and (near is None or name in near))]
    contest = Contest(runner, entry, options.quick)
    if options.search is not None:
        entry["tol"] = find_tolerances(contest, entry, names, options.search)
        print(json.dumps({name: entry}), flush=True)
    else:
        compare(record, contest, entry, names)
        record.save(name)
    runner.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("temper", "folder", "record"):
        parser.add_argument(name, type=pathlib.Path)
    for name in ("--quick", "--keep"):
        parser.add_argument(name, action="store_true")
    parser.add_argument("--only", help="one set")
    parser.add_argument("--among", type=lambda text: text.split(","), help="some peers")
    parser.add_argument("--cap", type=int, help="seconds after which any training is stopped")
    parser.add_argument("--threads", type=int, default=1, help="of all that can use them")
    parser.add_argument("--near", type=pathlib.Path, help="a record: only peers that are near in it")
    parser.add_argument("--search", nargs="*")
    options = parser.parse_args()
    record = Record(options.record, options.temper, "trainings" + ("" if options.threads == 1 else f" on {options.threads} threads"))
    if options.keep:
        record.take_in()
    for name, entry in wanted(json.loads((HERE.parent / "training" / "train_sets.json").read_text()), options):
        if record.has(name):
            continue
        threads = "" if options.threads == 1 else f", {options.threads} threads"
        record.begin(f"Training to within 1e-4 of the optimum{threads}: {entry['title']}")
        try:
            measure(record, name, entry, options)
        except train_run.Missing as reason:
            record.leave_out({name: str(reason)})
    if options.search is None:
        save(record.found, options.record)
        print(f"\nrecord: {options.record}")


main()
