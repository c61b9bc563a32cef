"""Quality beside speed: how right each is on clean rows after training on spoilt labels, and who finds the wrong
labels.

    quality.py TEMPER FOLDER RECORD [--quick | --tiny]

Noise is that of `temper noise`. Each chooses its penalty in the same way, among the same multiples of
2e-4 tr Cov(x), by the accuracy on the same folds of the spoilt rows; `temper tune` chooses its temperatures and penalty
by its own rule. Solvers of the same objective end at the same model (the trainings show by how much they differ), so
lbfgs stands for them; LIBLINEAR is scikit-learn's copy of it."""
import argparse
import csv
import json
import pathlib
import subprocess
import time
import warnings

import numpy
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC

import installed
import train_data
import train_solvers

MULTIPLES = (1e-2, 1e-1, 1, 10)
TWO = ("random", "small-margin", "large-margin", "instance")  # of two classes a flip to the next one is any flip
MANY = ("random", "pair")
QUICK = {"sets": {"fashion-0v6": TWO}, "rows": 1500, "rates": (0.1, 0.3), "folds": 2}
FULL = {"sets": {"fashion-0v6": TWO, "covertype-2v3": TWO, "cifar-frog-ship": TWO, "fashion-10": MANY}, "rows": 10000,
        "rates": (0.1, 0.2, 0.3, 0.4), "folds": 5}
TINY = {"sets": {"made-100": TWO}, "rows": 100, "rates": (0.2,), "folds": 2}
AUDITED = ("random", "pair", "large-margin")


# ---- Those who train: each gives a function from rows to labels -------------------------------------------------


def estimator(model, x, y):
    return model.fit(x, y).predict


def linear(classes, w, b):
    """Two classes have one column of weights, many have one each."""
    def predict(rows):
        scores = rows @ w.T + b
        return classes[(scores[:, 0] > 0).astype(int) if scores.shape[1] == 1 else scores.argmax(axis=1)]
    return predict


def boosted(x, y, l2):
    w, b = train_solvers.prepare("xgboost gblinear", x, y, l2).fit(1e-3)
    return linear(numpy.unique(y), w, b)


class Temper:
    """The command, on files in a folder of its own."""

    def __init__(self, command, folder, threads=1):
        self.command, self.folder, self.threads = command, folder, str(threads)

    def write(self, name, x, y):
        numpy.save(self.folder / f"{name}.npy", numpy.ascontiguousarray(x, numpy.float32))
        numpy.savetxt(self.folder / f"{name}.npy.labels", y, fmt="%d")
        return self.folder / f"{name}.npy"

    def run(self, *words):
        return subprocess.run([str(word) for word in (self.command, *words)], check=True, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout

    def predictor(self, model):
        told = json.loads(model.read_text(encoding="utf8"))
        w, b = numpy.atleast_2d(told["weights"]), numpy.atleast_1d(told["intercept"])
        classes = numpy.array([int(name) for name in told["classes"]])
        return linear(classes, w, b)

    def train(self, x, y, l2):
        data, model = self.write("train", x, y), self.folder / "train.temper"
        self.run("train", data, "-m", model, "--scale", "none", "--l2", l2, "--threads", self.threads, "-q")
        return self.predictor(model)

    def tune(self, x, y, folds):
        data, model = self.write("train", x, y), self.folder / "tune.temper"
        self.run("tune", data, "-m", model, "--scale", "none", "--folds", folds, "--threads", self.threads, "-q")
        return self.predictor(model)

    def spoil(self, x, y, kind, rate):
        """(x, y, which rows have changed)"""
        clean, out = self.write("clean", x, y), self.folder / "noisy.npy"
        self.run("noise", clean, "--kind", kind, "--rate", rate, "-o", out, "-q")
        wrong = numpy.zeros(len(y), bool)
        with open(f"{out}.changes.csv", encoding="utf8") as changes:
            for row in csv.DictReader(changes):
                wrong[int(row["row"]) - 1] = True
        return numpy.load(out), numpy.loadtxt(f"{out}.labels", dtype=int), wrong

    def audit(self, x, y, folds):
        """How suspicious each row is."""
        data, scores = self.write("train", x, y), numpy.zeros(len(y))
        told = self.run("audit", data, "--json", "--top", len(y), "--folds", folds, "--scale", "none", "--threads",
                        self.threads, "-q")
        for rank, line in enumerate(told.splitlines()):
            scores[json.loads(line)["row"] - 1] = len(y) - rank
        return scores


def torch_fit(folder):
    """The bi-tempered loss of the sequel, by PyTorch."""
    def fit(x, y, l2):
        numpy.save(folder / "train.npy", x)
        numpy.savetxt(folder / "train.labels", y, fmt="%d")
        script = pathlib.Path(__file__).with_name("peer_torch.py")
        subprocess.run([installed.TORCH_PYTHON, script, "fit", folder, str(l2), "1e-3", folder / "torch.npz", "0.3",
                        "1.12"], check=True, stdout=subprocess.DEVNULL)
        with numpy.load(folder / "torch.npz") as file:
            return linear(numpy.unique(y), file["w"], file["b"])
    return fit


def peers(temper, full):
    """{name: fit(x, y, l2)}, and {name: why} of those that are not here."""
    found = {
        "temper (0.3, 1)": temper.train,
        "lbfgs": lambda x, y, l2: estimator(LogisticRegression(C=1 / (l2 * len(y)), max_iter=1000), x, y),
        "LIBLINEAR -s 0": lambda x, y, l2: estimator(
            LogisticRegression(C=1 / (l2 * len(y)), solver="liblinear", max_iter=1000), x, y),
        "LIBLINEAR -s 2": lambda x, y, l2: estimator(
            LinearSVC(C=1 / (l2 * len(y)), dual=False, max_iter=5000), x, y),
        "SGDClassifier": lambda x, y, l2: estimator(
            SGDClassifier(loss="log_loss", alpha=l2, random_state=1), x, y),
    }
    absent = installed.missing()
    gone = {name: why for name, why in absent.items() if name == "xgboost gblinear"}
    if not gone:
        found["XGBoost gblinear"] = boosted
    if not full:
        gone["PyTorch, bi-tempered"] = "only in make bench-full"
    elif "torch lbfgs" not in absent:
        found["PyTorch, bi-tempered"] = torch_fit(temper.folder)
    else:
        gone["PyTorch, bi-tempered"] = absent["torch lbfgs"]
    return found, gone


# ---- The protocol --------------------------------------------------------------------------------------------


def choose(fit, x, y, penalties, folds):
    """The penalty with the best accuracy on the folds; of equals the largest."""
    right = dict.fromkeys(sorted(penalties, reverse=True), 0)
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=1).split(x, y):
        for l2 in right:
            right[l2] += int((fit(x[train], y[train], l2)(x[test]) == y[test]).sum())
    return max(right, key=right.get)


def accuracies(temper, case, test, plan, full):
    """{name: accuracy on clean rows} of all, for one set of spoilt rows."""
    x, y = case
    penalties = [2e-4 * float(numpy.var(x, axis=0).sum()) * multiple for multiple in MULTIPLES]
    found = {}
    for name, fit in peers(temper, full)[0].items():
        best = choose(fit, x, y, penalties, plan["folds"])
        found[name] = float((fit(x, y, best)(test[0]) == test[1]).mean())
    found["temper tune"] = float((temper.tune(x, y, plan["folds"])(test[0]) == test[1]).mean())
    return found


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


def audits(temper, case, wrong, about):
    x, y = case
    rows = []
    for name, find in (("temper audit", temper.audit), ("cleanlab, lbfgs", confident_learning)):
        start = time.perf_counter()
        try:
            scores = find(x, y, 5)
        except ImportError:
            continue
        rows.append({**about, "name": name, "precision": float(average_precision_score(wrong, scores)),
                     "seconds": time.perf_counter() - start})
    return rows


def cases(plan, name):
    yield "none", 0
    for kind in plan["sets"][name]:
        for rate in plan["rates"]:
            yield kind, rate


def measure(temper, name, parts, plan, keep_record):
    """One set: each case is kept as soon as it is known, so that a run that is cut short has something."""
    (x, y), test = parts
    keep = numpy.random.default_rng(1).permutation(len(y))[:plan["rows"]]
    x, y = numpy.ascontiguousarray(x[keep]), y[keep]
    for kind, rate in cases(plan, name):
        noisy_x, noisy_y, wrong = temper.spoil(x, y, kind, rate) if rate else (x, y, None)
        about = {"set": name, "noise": kind, "rate": rate}
        right = accuracies(temper, (noisy_x, noisy_y), test, plan, plan is FULL)
        quality = [{**about, "name": who, "accuracy": value} for who, value in right.items()]
        print(f"  {name}, {kind} {rate:g}: " + ", ".join(f"{k} {100 * v:.1f}" for k, v in right.items()), flush=True)
        found = audits(temper, (noisy_x, noisy_y), wrong, about) if kind in AUDITED else []
        if found:
            print("    found: " + ", ".join(f"{row['name']} {row['precision']:.3f} in {row['seconds']:.2f} s"
                                           for row in found), flush=True)
        keep_record(quality, found)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("temper", "folder", "record"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--tiny", action="store_true")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    plan = TINY if options.tiny else QUICK if options.quick else FULL
    folder = options.folder / "quality"
    folder.mkdir(parents=True, exist_ok=True)
    temper = Temper(options.temper.resolve(), folder)
    record = {"quality": [], "audits": [], "missing": peers(temper, plan is FULL)[1]}

    def keep_record(quality, found):
        record["quality"] += quality
        record["audits"] += found
        options.record.write_text(json.dumps(record, indent=1) + "\n", encoding="utf8")

    print("\nRight on clean rows after training on spoilt labels, %")
    for name in plan["sets"]:
        if not train_data.make(name, options.folder / name, options.temper):
            record["missing"][f"quality on {name}"] = "its data is not here (TEMPER_DATA tells where)"
            continue
        parts = [train_data.load(options.folder / name, part) for part in ("train", "test")]
        measure(temper, name, parts, plan, keep_record)
    if record["audits"] and not any("cleanlab" in row["name"] for row in record["audits"]):
        record["missing"]["cleanlab"] = "it is not here (PyPI: cleanlab)"
    keep_record([], [])


if __name__ == "__main__":
    main()
