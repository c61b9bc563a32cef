"""One data set and those who train on it in Python: answers a line of JSON with a line of JSON.
A process of its own, so that it can be stopped when it takes too long.

    {"do": "fit", "solver": "lbfgs", "tol": 1e-4, "cap": 8}     one of bench/peers/train_solvers.py
    {"do": "temper", "model": FILE}                   how good is this model file
    {"do": "liblinear", "model": FILE}
    {"do": "weights", "file": FILE.npz}               how good are these weights"""
import json
import pathlib
import signal
import sys
import time

import numpy
import sklearn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # the folders of bench/ import each other
from training import train_data  # noqa: E402
from peers import train_solvers  # noqa: E402


def log_sum(a):
    top = a.max(axis=1)
    return top + numpy.log(numpy.exp(a - top[:, None]).sum(axis=1))


class Set:
    def __init__(self, folder, l2, threads):
        self.l2, self.threads = l2, threads
        self.x, self.y = train_data.load(folder, "train")
        self.test_x, self.test_y = train_data.load(folder, "test")
        self.classes = numpy.unique(self.y)

    def objective(self, w, b, penalised=0):
        """In doubles. w: a row for two classes, else one a class."""
        # Without a copy of the data in doubles: w is exact in two floats.
        high = w.astype(numpy.float32)
        low = (w - high).astype(numpy.float32)
        a = self.product(high) + self.product(low) + b
        if len(w) == 1:
            sign = numpy.where(self.y == self.classes[1], 1.0, -1.0)
            loss = numpy.logaddexp(0, -sign * a[:, 0]).mean()
        else:
            label = numpy.searchsorted(self.classes, self.y)
            loss = (log_sum(a) - a[numpy.arange(len(label)), label]).mean()
        return loss + self.l2 / 2 * (numpy.sum(w * w) + penalised * numpy.sum(b * b))

    def product(self, w):
        """x w' summed in doubles, some thousand rows at a time."""
        rows = range(0, self.x.shape[0], 4096)
        return numpy.vstack([self.x[i:i + 4096].astype(float) @ w.T.astype(float) for i in rows])

    def accuracy(self, w, b):
        a = self.test_x @ w.T + b
        best = (a[:, 0] > 0).astype(int) if len(w) == 1 else a.argmax(axis=1)
        return float((self.classes[best] == self.test_y).mean())

    def answer(self, w, b, penalised=0):
        if w.shape[1] < self.x.shape[1]:  # read from a file in which no row has the last columns
            w = numpy.hstack([w, numpy.zeros((len(w), self.x.shape[1] - w.shape[1]))])
        return {"objective": float(self.objective(w, b, penalised)),
                "accuracy": self.accuracy(w, b)}

    def fit(self, ask):
        solver = train_solvers.prepare(ask["solver"], (self.x, self.y), self.l2, self.threads)
        signal.setitimer(signal.ITIMER_PROF, ask["cap"])  # ends the process
        # Of this thread, if it is the only one: with a timer set, the clock of the process has ticks of milliseconds.
        clock = time.thread_time if self.threads == 1 else time.perf_counter
        start = clock()
        w, b = solver.fit(ask["tol"])
        seconds = clock() - start
        signal.setitimer(signal.ITIMER_PROF, 0)
        return {"seconds": seconds, **self.answer(w, b, penalised=ask["solver"] in train_solvers.PENALISED)}

    def weights(self, ask):
        with numpy.load(ask["file"]) as file:
            return self.answer(file["w"], file["b"])

    def temper(self, ask):
        model = json.loads(pathlib.Path(ask["model"]).read_text(encoding="utf8"))
        w = numpy.atleast_2d(numpy.array(model["weights"], float))
        b = numpy.atleast_1d(numpy.array(model["intercept"], float))
        if len(w) > 1:  # its order of classes may be another
            order = numpy.argsort([int(name) for name in model["classes"]])
            w, b = w[order], b[order]
        elif int(model["classes"][0]) > int(model["classes"][1]):
            w, b = -w, -b
        return self.answer(w, b)

    def liblinear(self, ask):
        """Its constant is a weight like the others, penalised as they are: so it is here."""
        text = pathlib.Path(ask["model"]).read_text(encoding="ascii").split("\n")
        labels = [int(t) for t in next(t for t in text if t.startswith("label")).split()[1:]]
        w = numpy.loadtxt(text[text.index("w") + 1:], ndmin=2).T
        w, b = w[:, :-1], w[:, -1]
        if len(w) == 1:
            w, b = (w, b) if labels[0] > labels[1] else (-w, -b)
        else:
            order = numpy.argsort(labels)
            w, b = w[order], b[order]
        return self.answer(w, b, penalised=1)


def main():
    data = Set(pathlib.Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))
    print(json.dumps({"sklearn": sklearn.__version__, "rows": data.x.shape[0],
                      "features": data.x.shape[1], "classes": len(data.classes)}), flush=True)
    for line in sys.stdin:
        ask = json.loads(line)
        print(json.dumps(getattr(data, ask["do"])(ask)), flush=True)


main()
