"""Methods that train on noisy labels, for bench/quality/quality.py: each is a function from rows, labels and settings to a
function from rows to labels. Settings are the penalty and, of the bi-tempered loss, its two temperatures."""
import sys
import csv
import json
import pathlib
import resource
import subprocess

import numpy
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.svm import LinearSVC

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # the folders of bench/ import each other
from peers import installed  # noqa: E402
from peers import train_solvers  # noqa: E402

TORCH = "PyTorch, bi-tempered"
CLEANLAB = "cleanlab CleanLearning"
GBLINEAR = "XGBoost gblinear"
PAIRS = ((0.9, 1.05), (0.8, 1.2), (0.3, 1.12), (0.5, 4))  # temperatures that the bi-tempered loss chooses among


class TooSlow(Exception):
    """It has taken more of the processor than it may."""


def estimator(model, x, y):
    return model.fit(x, y).predict


def linear(classes, w, b):
    """Two classes have one column of weights, many have one each."""
    def predict(rows):
        scores = rows @ w.T + b
        return classes[(scores[:, 0] > 0).astype(int) if scores.shape[1] == 1 else scores.argmax(axis=1)]
    return predict


def boosted(x, y, l2):
    w, b = train_solvers.prepare("xgboost gblinear", (x, y), l2, 1).fit(1e-3)
    return linear(numpy.unique(y), w, b)


def logistic(y, l2, **more):
    return LogisticRegression(C=1 / (l2 * len(y)), max_iter=1000, **more)


def clean_learning(x, y, l2):
    """What cleanlab trains with: rows that it thinks wrong, out of three folds, are left out."""
    from cleanlab.classification import CleanLearning
    classes = numpy.unique(y)
    model = CleanLearning(logistic(y, l2), seed=1, cv_n_folds=3, find_label_issues_kwargs={"n_jobs": 1})
    model.fit(x, numpy.searchsorted(classes, y))
    return lambda rows: classes[model.predict(rows)]


class Temper:
    """The command, on files in a folder of its own."""

    def __init__(self, command, folder, cap):
        self.command, self.folder, self.cap = command, folder, cap

    def write(self, name, x, y):
        numpy.save(self.folder / f"{name}.npy", numpy.ascontiguousarray(x, numpy.float32))
        numpy.savetxt(self.folder / f"{name}.npy.labels", y, fmt="%d")
        return self.folder / f"{name}.npy"

    def run(self, *words):
        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (self.cap, self.cap))
        done = subprocess.run([str(word) for word in (self.command, *words)], check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=limit)
        if done.returncode < 0:
            raise TooSlow
        done.check_returncode()
        return done.stdout

    def predictor(self, model):
        told = json.loads(model.read_text(encoding="utf8"))
        w, b = numpy.atleast_2d(told["weights"]), numpy.atleast_1d(told["intercept"])
        classes = numpy.array([int(name) for name in told["classes"]])
        return linear(classes, w, b)

    def fit(self, command, x, y, *options):
        data, model = self.write("train", x, y), self.folder / "train.temper"
        self.run(command, data, "-m", model, "--threads", 1, "-q", *options)
        return self.predictor(model)

    def train(self, x, y, l2):
        return self.fit("train", x, y, "--scale", "none", "--l2", l2)

    def as_it_comes(self, x, y):
        return self.fit("train", x, y)

    def tune(self, x, y, folds):
        return self.fit("tune", x, y, "--scale", "none", "--folds", folds)

    def add_noise(self, x, y, kind, rate):
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
        told = self.run("audit", data, "--json", "--top", len(y), "--folds", folds, "--scale", "none", "--threads", 1,
                        "-q")
        for rank, line in enumerate(told.splitlines()):
            scores[json.loads(line)["row"] - 1] = len(y) - rank
        return scores


class Torch:
    """The bi-tempered loss of the sequel, by PyTorch: one process for all fits, as loading it takes a second."""

    def __init__(self, folder):
        self.folder, self.used = folder, 0
        self.process = subprocess.Popen(
            [installed.TORCH_PYTHON, pathlib.Path(__file__).with_name("peer_torch.py"), "serve"], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=installed.environment())

    def fit(self, x, y, l2, t1, t2):
        numpy.save(self.folder / "train.npy", x)
        numpy.savetxt(self.folder / "train.labels", y, fmt="%d")
        out = self.folder / "torch.npz"
        self.process.stdin.write(json.dumps([str(self.folder), l2, 1e-3, str(out), t1, t2]) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("PyTorch's process has ended; what it said is above")
        self.used += json.loads(line)["seconds"]
        with numpy.load(out) as file:
            return linear(numpy.unique(y), file["w"], file["b"])

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Peers:
    """{name: fit} of those who choose their settings on folds, and why others are not here."""

    def __init__(self, temper, full):
        self.temper, self.torch, self.gone = temper, None, {}
        self.fits = {
            "temper (0.3, 1)": temper.train,
            "lbfgs": lambda x, y, l2: estimator(logistic(y, l2), x, y),
            "LIBLINEAR -s 0": lambda x, y, l2: estimator(logistic(y, l2, solver="liblinear"), x, y),
            "LIBLINEAR -s 2": lambda x, y, l2: estimator(
                LinearSVC(C=1 / (l2 * len(y)), dual=False, tol=1e-3), x, y),
            "SGDClassifier": lambda x, y, l2: estimator(
                SGDClassifier(loss="log_loss", alpha=l2, random_state=1), x, y),
        }
        absent = installed.missing()
        self.add(GBLINEAR, absent.get("xgboost gblinear"), lambda: boosted)
        late = None if full else "only in make bench-full"
        self.add(CLEANLAB, late or absent.get("cleanlab"), lambda: clean_learning)
        self.add(TORCH, late or absent.get("torch lbfgs"), self.start_torch)

    def add(self, name, why_not, made):
        if why_not:
            self.gone[name] = why_not
        else:
            self.fits[name] = made()

    def start_torch(self):
        self.torch = Torch(self.temper.folder)
        return self.torch.fit

    def settings(self, name, penalties):
        """Of equals the first is chosen: the largest penalty."""
        penalties = sorted(penalties, reverse=True)
        return [(l2, *pair) for l2 in penalties for pair in (PAIRS if name == TORCH else ((),))]

    def seconds(self):
        """Of the processor, that all of them have taken."""
        usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(u.ru_utime + u.ru_stime for u in usage) + (self.torch.used if self.torch else 0)

    def close(self):
        if self.torch:
            self.torch.close()
