"""Quality beside speed: how right each is on clean rows after training on noisy labels, and which method finds the wrong
labels.

    quality.py TEMPER FOLDER RECORD [--quick | --tiny] [--keep]

Noise is that of `temper noise`. Each chooses its penalty in the same way, among the same multiples of
2e-4 tr Cov(x), by the accuracy on the same folds of the noisy rows, and PyTorch its temperatures with it;
`temper tune` chooses its temperatures and penalty by its own rule, `temper train` nothing. Solvers of the same
objective end at the same model (the trainings show by how much they differ), so lbfgs stands for them; LIBLINEAR is
scikit-learn's copy of it. Each case is saved as soon as it is known; --keep continues with those that are not there.
Seconds are of the processor; who takes more than CAP of them for one case is stopped, and named."""
import sys
import argparse
import json
import pathlib
import tempfile
import warnings

import numpy
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # the folders of bench/ import each other
from peers import installed  # noqa: E402
from report import record  # noqa: E402
from training import train_data  # noqa: E402
from peers.quality_peers import GBLINEAR, Peers, Temper, TooSlow  # noqa: E402

CAP = 300  # processor seconds of one of them for one case
MULTIPLES = (1e-2, 1e-1, 1, 10)
TWO = ("random", "small-margin", "large-margin", "instance")  # of two classes a flip to the next one is any flip
MANY = ("random", "pair")
QUICK = {"sets": {"fashion-0v6": TWO}, "rows": 1500, "rates": (0.1, 0.3), "folds": 2}
FULL = {"sets": {"covertype-2v3": TWO, "fashion-0v6": TWO, "cifar-frog-ship": TWO, "fashion-10": MANY}, "rows": 1500,
        "rates": (0.2, 0.4, 0.1), "folds": 3, "skip": {"fashion-0v6": [GBLINEAR], "cifar-frog-ship": [GBLINEAR],
                                                        "fashion-10": [GBLINEAR]},
        "fewer": {"fashion-10": {"rows": 1000, "rates": (0.2, 0.4)}}}  # ten classes take ten times as long
TINY = {"sets": {"made-100": TWO}, "rows": 100, "rates": (0.2,), "folds": 2}
AUDITED = ("random", "pair", "large-margin")


# ---- Accuracy ------------------------------------------------------------------------------------------------


class Contest:
    """All who train, by the rules of one plan."""

    def __init__(self, peers, plan):
        self.peers, self.plan, self.temper = peers, plan, peers.temper

    def choose(self, fit, x, y, settings):
        """The settings with the best accuracy on the folds; of equals the first."""
        right, end = dict.fromkeys(settings, 0), self.peers.seconds() + CAP
        for train, test in StratifiedKFold(self.plan["folds"], shuffle=True, random_state=1).split(x, y):
            for given in right:
                right[given] += int((fit(x[train], y[train], *given)(x[test]) == y[test]).sum())
                if self.peers.seconds() > end:
                    raise TooSlow
        return max(right, key=right.get)

    def train(self, name, fit, x, y):
        penalties = [2e-4 * float(numpy.var(x, axis=0).sum()) * multiple for multiple in MULTIPLES]
        given = self.choose(fit, x, y, self.peers.settings(name, penalties))
        return fit(x, y, *given)

    def ways(self, skip):
        """{name: function from rows and labels to one that predicts}"""
        made = {name: lambda x, y, name=name, fit=fit: self.train(name, fit, x, y)
                for name, fit in self.peers.fits.items() if name not in skip}
        made["temper train"] = self.temper.as_it_comes
        made["temper tune"] = lambda x, y: self.temper.tune(x, y, self.plan["folds"])
        return made

    def accuracies(self, x, y, test, skip):
        """({name: accuracy on clean rows}, {name: seconds}, {name: why it has none}) for one set of noisy rows."""
        found, seconds, late = {}, {}, {}
        for name, way in self.ways(skip).items():
            start = self.peers.seconds()
            try:
                found[name] = float((way(x, y)(test[0]) == test[1]).mean())
                seconds[name] = self.peers.seconds() - start
            except TooSlow:
                late[name] = f"stopped after {CAP} s of the processor"
        return found, seconds, late


# ---- Audits --------------------------------------------------------------------------------------------------


def confident_learning(x, y, folds):
    """cleanlab's self-confidence from probabilities of lbfgs, out of fold: how suspicious each row is."""
    from cleanlab.rank import get_label_quality_scores
    number = numpy.searchsorted(numpy.unique(y), y)
    probabilities = numpy.zeros((len(y), number.max() + 1))
    l2 = 2e-4 * float(numpy.var(x, axis=0).sum())
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=1).split(x, number):
        model = LogisticRegression(C=1 / (l2 * len(train)), max_iter=1000).fit(x[train], number[train])
        probabilities[test] = model.predict_proba(x[test])
    return -get_label_quality_scores(number, probabilities, method="self_confidence")


def audits(peers, x, y, wrong, about):
    rows, ways = [], {"temper audit": peers.temper.audit}
    if "cleanlab" not in installed.missing():
        ways["cleanlab, lbfgs"] = confident_learning
    for name, find in ways.items():
        start = peers.seconds()
        scores = find(x, y, 5)
        rows.append({**about, "name": name, "precision": float(average_precision_score(wrong, scores)),
                     "seconds": peers.seconds() - start})
    return rows


# ---- The run -------------------------------------------------------------------------------------------------


def cases(plan):
    """(set, noise, rate): all sets with one rate, then with the next, so that a run that is cut short has means; last
    those that take long."""
    slow = plan.get("fewer", {})
    for sets in ([name for name in plan["sets"] if name not in slow], slow):
        for name in sets:
            yield name, "none", 0
        for rate in plan["rates"]:
            for name in sets:
                if rate in slow.get(name, plan)["rates"]:
                    yield from ((name, kind, rate) for kind in plan["sets"][name])


def load(plan, folder, name):
    """(rows that are trained on, test rows)"""
    (x, y), test = (train_data.load(folder / name, part) for part in ("train", "test"))
    keep = numpy.random.default_rng(1).permutation(len(y))[:plan.get("fewer", {}).get(name, plan)["rows"]]
    return (numpy.ascontiguousarray(x[keep]), y[keep]), test


def case_name(name, kind, rate):
    return f"quality: {name}, {kind} {rate:g}"


class Record:
    """What is known so far, in its file after each case."""

    def __init__(self, path, plan, stamp):
        # As JSON gives it back, so that it can be compared with that of an older file.
        self.path, self.stamp, plan = path, stamp, json.loads(json.dumps(plan))
        self.found = {"plan": plan, "quality": [], "audits": [], "missing": {}, "measured": {}}

    def take_in(self):
        """What an earlier run by the same plan has left."""
        if not self.path.exists():
            return
        old = json.loads(self.path.read_text(encoding="utf8"))
        if old.get("plan") == self.found["plan"]:
            cases_done = [case.split(": ", 1)[1] for case in old["measured"]]
            old["missing"] = {who: why for who, why in old["missing"].items() if who.split(" on ")[-1] in cases_done}
            self.found = old
        else:
            print(f"{self.path} has another plan: started again")

    def has(self, case):
        return case in self.found["measured"]

    def add(self, case, quality, audited, missing):
        self.found["quality"] += quality
        self.found["audits"] += audited
        self.found["missing"].update(missing)
        if case:
            self.found["measured"][case] = self.stamp()
        record.save(self.found, self.path)


def measure_case(contest, about, clean, test, kept):
    """One kind of noise and one rate."""
    name, kind, rate = about.values()
    x, y, wrong = contest.temper.add_noise(*clean, kind, rate) if rate else (*clean, None)
    skip = contest.plan.get("skip", {}).get(name, ())
    right, seconds, late = contest.accuracies(x, y, test, skip)
    quality = [{**about, "name": who, "accuracy": value, "seconds": round(seconds[who], 2)}
               for who, value in right.items()]
    print(f"  {name}, {kind} {rate:g}: " + ", ".join(f"{k} {100 * v:.1f}" for k, v in right.items()), flush=True)
    found = audits(contest.peers, x, y, wrong, about) if kind in AUDITED else []
    if found:
        print("    found: " + ", ".join(f"{row['name']} {row['precision']:.3f} in {row['seconds']:.2f} s"
                                       for row in found), flush=True)
    kept.add(case_name(name, kind, rate), quality, found,
             {f"{who} on {name}, {kind} {rate:g}": why for who, why in late.items()})


def measure(options, plan, folder):
    peers = Peers(Temper(options.temper.resolve(), folder, CAP), plan is FULL)
    kept = Record(options.record, plan, lambda: record.stamp(options.temper))
    if options.keep:
        kept.take_in()
    print("\nRight on clean rows after training on noisy labels, %")
    kept.add(None, [], [], {**peers.gone, **{f"{who} on {name}": "it minimises what lbfgs does, which stands for it"
                                            for name, left in plan.get("skip", {}).items() for who in left}})
    sets = {}
    for name in plan["sets"]:
        if train_data.make(name, options.folder / name, options.temper):
            sets[name] = load(plan, options.folder, name)
        else:
            kept.add(None, [], [], {f"quality on {name}": "its data is not here (TEMPER_DATA names its folder)"})
    for name, kind, rate in cases(plan):
        if name in sets and not kept.has(case_name(name, kind, rate)):
            measure_case(Contest(peers, plan), {"set": name, "noise": kind, "rate": rate}, *sets[name], kept)
    peers.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("temper", "folder", "record"):
        parser.add_argument(name, type=pathlib.Path)
    for name in ("--quick", "--tiny", "--keep"):
        parser.add_argument(name, action="store_true")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:  # of its own: two runs may go on at once
        measure(options, TINY if options.tiny else QUICK if options.quick else FULL, pathlib.Path(folder).resolve())


if __name__ == "__main__":
    main()
