"""Consensus labels of several annotators beside crowd-kit and cleanlab, on generated crowds, of which the truth is known.

    annotators.py [--quick] [--crowd NAME]... [--seeds N]

Methods: temperlr.consensus (Dawid-Skene with an estimated prior; one-coin; with features), majority vote, DawidSkene,
OneCoinDawidSkene, GLAD and MMSR of crowd-kit, and get_label_quality_multiannotator of cleanlab, which needs
probabilities: it gets those of a logistic regression that was fitted out of fold to the majority, and temperlr.consensus
gets the same ones in "temper + P".

Figures, means over seeds: accuracy of the consensus; correlation (Pearson) of estimated with true accuracies of
annotators with ten labels or more; share of 90 % intervals that have the true accuracy; seconds. Then real votes: of 8
annotators on 15,521 sentences of biomedical papers, three each (Rzhetsky, Shatkay, Wilbur 2009; in the package pyanno),
whose truth is not known: one vote of each item is held out, and compared with the consensus of the others. The last table
is where temper is behind a peer with the same information by more than two standard errors of the difference."""
import argparse
import os
import time
import warnings

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")  # before numpy is imported

import numpy  # noqa: E402
import pandas  # noqa: E402
import temperlr  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import StratifiedKFold, cross_val_predict  # noqa: E402

warnings.filterwarnings("ignore")

SEEDS, QUICK_SEEDS = 10, 3


# ---- Crowds ------------------------------------------------------------------------------------------------------


class Crowd:
    """Votes (wide, -1 for none), the truth, the true accuracy of each annotator on its items, and features."""

    def __init__(self, rng, classes, items, matrices, present, difficulty=None, separation=2.0):
        annotators = len(matrices)
        self.classes = classes
        self.truth = rng.integers(classes, size=items)
        votes = numpy.full((items, annotators), -1)
        right = numpy.zeros((items, annotators))  # the probability of a right label
        for a, matrix in enumerate(matrices):
            p = matrix[self.truth]
            if difficulty is not None:  # a hard item draws all annotators towards a guess
                p = (1 - difficulty)[:, None] * p + difficulty[:, None] / classes
            drawn = (p.cumsum(axis=1) > rng.random(items)[:, None] * p.sum(axis=1, keepdims=True)).argmax(axis=1)
            votes[:, a] = drawn
            right[:, a] = p[numpy.arange(items), self.truth]
        votes[~present] = -1
        self.votes = votes
        seen = votes >= 0
        self.labels = seen.sum(axis=0)
        self.accuracy = ((votes == self.truth[:, None]) & seen).sum(axis=0) / numpy.maximum(self.labels, 1)
        # On its items, by the probabilities and not by what was drawn: what an interval is about.
        self.expected = numpy.where(seen, right, 0).sum(axis=0) / numpy.where(self.labels > 0, self.labels, numpy.nan)
        centres = rng.normal(size=(classes, 8))
        centres *= separation / numpy.linalg.norm(centres, axis=1, keepdims=True)
        self.X = centres[self.truth] + rng.normal(size=(items, 8))


def coin(classes, accuracy):
    matrix = numpy.full((classes, classes), (1 - accuracy) / (classes - 1))
    numpy.fill_diagonal(matrix, accuracy)
    return matrix


def chosen(rng, items, annotators, each):
    """Each item by so many annotators, some of which are more active than others."""
    weight = rng.pareto(1.5, size=annotators) + 0.2
    order = rng.random((items, annotators)) ** (1 / weight)
    present = numpy.zeros((items, annotators), dtype=bool)
    numpy.put_along_axis(present, numpy.argsort(-order, axis=1)[:, :each], True, axis=1)
    return present


def dirichlet_rows(rng, classes, low, high):
    """A matrix with an accuracy of its own for each class, and mistakes towards some classes."""
    matrix = rng.dirichlet(numpy.full(classes, 0.5), size=classes)
    numpy.fill_diagonal(matrix, 0)
    matrix /= matrix.sum(axis=1, keepdims=True)
    accuracy = rng.uniform(low, high, size=classes)
    matrix *= (1 - accuracy)[:, None]
    numpy.fill_diagonal(matrix, accuracy)
    return matrix


def make_crowd(name, seed):
    rng = numpy.random.default_rng([seed, sum(map(ord, name))])
    if name == "reliable":
        return Crowd(rng, 3, 600, [coin(3, p) for p in rng.uniform(0.8, 0.95, 10)], chosen(rng, 600, 10, 3))
    if name == "mixed":
        return Crowd(rng, 4, 800, [coin(4, p) for p in rng.uniform(0.35, 0.95, 20)], chosen(rng, 800, 20, 5))
    if name == "spammers":
        matrices = [coin(3, p) for p in rng.uniform(0.75, 0.9, 8)] + [coin(3, 1 / 3)] * 6
        for label in (0, 1):  # and two that give one label always
            matrices.append(numpy.tile(numpy.eye(3)[label], (3, 1)))
        return Crowd(rng, 3, 600, matrices, chosen(rng, 600, 16, 5))
    if name == "adversaries":
        matrices = [coin(2, p) for p in rng.uniform(0.7, 0.9, 10)] + [coin(2, p) for p in rng.uniform(0.1, 0.3, 4)]
        return Crowd(rng, 2, 600, matrices, chosen(rng, 600, 14, 5))
    if name == "few labels":  # a row has two
        return Crowd(rng, 3, 900, [coin(3, p) for p in rng.uniform(0.5, 0.95, 15)], chosen(rng, 900, 15, 2))
    if name == "class-dependent":
        matrices = [dirichlet_rows(rng, 5, 0.3, 0.95) for _ in range(12)]
        return Crowd(rng, 5, 1000, matrices, chosen(rng, 1000, 12, 4))
    if name == "one bias":  # all take the second class for the first, more or less
        matrices = []
        for p in rng.uniform(0.7, 0.95, 12):
            matrix = coin(3, p)
            matrix[1] = [0.45, 0.5, 0.05]
            matrices.append(matrix)
        return Crowd(rng, 3, 800, matrices, chosen(rng, 800, 12, 5))
    if name == "sparse":  # many annotators with few labels, ten classes
        return Crowd(rng, 10, 1000, [coin(10, p) for p in rng.beta(4, 2, 300)], chosen(rng, 1000, 300, 3))
    if name == "hard items":
        difficulty = rng.beta(0.6, 1.2, 800)
        return Crowd(rng, 3, 800, [coin(3, p) for p in rng.uniform(0.6, 0.95, 15)], chosen(rng, 800, 15, 5), difficulty)
    if name == "poor features":
        return Crowd(rng, 3, 600, [coin(3, p) for p in rng.uniform(0.5, 0.9, 10)], chosen(rng, 600, 10, 3),
                     separation=0.3)
    raise SystemExit(f"no crowd {name}; there are {', '.join(CROWDS)}")


CROWDS = ("reliable", "mixed", "spammers", "adversaries", "few labels", "class-dependent", "one bias", "sparse",
          "hard items", "poor features")


# ---- Methods -----------------------------------------------------------------------------------------------------


def wide(crowd):
    return pandas.DataFrame(crowd.votes).astype(float).where(crowd.votes >= 0)


def long(crowd):
    task, worker = numpy.nonzero(crowd.votes >= 0)
    return pandas.DataFrame({"task": task, "worker": worker, "label": crowd.votes[task, worker]})


def temper_method(method="dawid-skene", features=False, probabilities=False):
    def run(crowd, pred_probs):
        report = temperlr.consensus(numpy.where(crowd.votes < 0, numpy.nan, crowd.votes), method=method,
                                    classes=numpy.arange(crowd.classes), X=crowd.X if features else None,
                                    pred_probs=pred_probs if probabilities else None)
        cover = (report.low <= crowd.expected) & (crowd.expected <= report.high)
        return report.label, report.accuracy, cover[crowd.labels >= 10].mean(), report.n_wrong
    return run


def crowdkit_method(name, **options):
    import crowdkit.aggregation

    def run(crowd, _):
        model = getattr(crowdkit.aggregation, name)(**options)
        labels = model.fit_predict(long(crowd)).reindex(range(len(crowd.truth)), fill_value=-1).to_numpy()
        return labels, crowdkit_accuracy(name, model, crowd, labels), numpy.nan, numpy.nan
    return run


def crowdkit_accuracy(name, model, crowd, labels):
    """Of each annotator: by its matrix where there is one, else a skill of another unit."""
    annotators = crowd.votes.shape[1]
    if name == "DawidSkene":
        out = numpy.full(annotators, numpy.nan)
        matrices, shares = model.errors_, model.priors_
        for a in matrices.index.get_level_values(0).unique():
            matrix = matrices.loc[a]
            out[a] = sum(matrix.loc[c, c] * shares[c] for c in matrix.index if c in matrix.columns)
        return out
    skills = getattr(model, "alphas_" if name == "GLAD" else "skills_", None)
    if skills is None:
        seen = crowd.votes >= 0
        return ((crowd.votes == labels[:, None]) & seen).sum(axis=0) / numpy.maximum(seen.sum(axis=0), 1)
    return skills.reindex(range(annotators)).to_numpy()


def cleanlab_method(crowd, pred_probs):
    from cleanlab.multiannotator import get_label_quality_multiannotator
    # It refuses annotators without labels.
    found = get_label_quality_multiannotator(wide(crowd).loc[:, crowd.labels > 0], pred_probs, verbose=False)
    quality = found["annotator_stats"]["annotator_quality"].reindex(range(crowd.votes.shape[1])).to_numpy()
    return found["label_quality"]["consensus_label"].to_numpy(), quality, numpy.nan, numpy.nan


VOTES_ALONE = {
    "majority": temper_method("majority"),
    "temper": temper_method(),
    "temper, one-coin": temper_method("one-coin"),
    "crowd-kit DawidSkene": ("DawidSkene", {"n_iter": 100}),
    "crowd-kit OneCoin": ("OneCoinDawidSkene", {"n_iter": 100}),
    "crowd-kit GLAD": ("GLAD", {"n_iter": 10}),
    "crowd-kit MMSR": ("MMSR", {}),
}
WITH_MODEL = {
    "temper + P": temper_method(probabilities=True),
    "temper + X": temper_method(features=True),
    "cleanlab + P": cleanlab_method,
}


REAL = ["majority", "temper", "temper, one-coin", "crowd-kit DawidSkene", "crowd-kit OneCoin"]  # GLAD takes minutes
REAL_VOTES = "quality-votes/e-2.txt"  # below build/, where tools/setup quality puts it


def methods():
    for name, method in {**VOTES_ALONE, **WITH_MODEL}.items():
        yield name, crowdkit_method(method[0], **method[1]) if isinstance(method, tuple) else method


def model_of_majority(crowd):
    counts = numpy.stack([(crowd.votes == c).sum(axis=1) for c in range(crowd.classes)], axis=1)
    labels = counts.argmax(axis=1)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    out = numpy.full((len(labels), crowd.classes), 1e-6)
    found = cross_val_predict(LogisticRegression(max_iter=1000), crowd.X, labels, cv=folds, method="predict_proba")
    out[:, numpy.unique(labels)] = found
    return out / out.sum(axis=1, keepdims=True)


# ---- Real votes --------------------------------------------------------------------------------------------------


class HeldOut:
    """Votes without one of each item, drawn at random."""

    def __init__(self, votes, seed):
        rng = numpy.random.default_rng(seed)
        noise = numpy.where(votes >= 0, rng.random(votes.shape), -1)
        held, rows = noise.argmax(axis=1), numpy.arange(len(votes))
        self.held = votes[rows, held]
        self.votes = votes.copy()
        self.votes[rows, held] = -1
        self.classes = int(votes.max()) + 1
        self.labels, self.expected = (self.votes >= 0).sum(axis=0), numpy.full(votes.shape[1], numpy.nan)
        self.truth = self.held  # of the right length


def measure_real(path, seeds):
    with open(path) as file:
        votes = numpy.array([[int(cell) for cell in line.strip().strip(",").split(",")] for line in file if line.strip()])
    votes = numpy.where(votes < 0, -1, votes - 1)
    rows = []
    for seed in range(seeds):
        crowd = HeldOut(votes, seed)
        for method, run in methods():
            if method not in REAL:
                continue
            started = time.perf_counter()
            labels = run(crowd, None)[0]
            rows.append({"method": method, "agreement": (labels == crowd.held).mean(),
                         "seconds": time.perf_counter() - started})
    return pandas.DataFrame(rows).groupby("method").mean().reindex(REAL)


# ---- Tables ------------------------------------------------------------------------------------------------------


def correlation(estimated, crowd):
    some = (crowd.labels >= 10) & numpy.isfinite(estimated)
    if some.sum() < 3 or numpy.ptp(estimated[some]) == 0:
        return numpy.nan
    return float(numpy.corrcoef(estimated[some], crowd.accuracy[some])[0, 1])


def measure(crowds, seeds):
    rows = []
    for name in crowds:
        for seed in range(seeds):
            crowd = make_crowd(name, seed)
            pred_probs = model_of_majority(crowd)
            for method, run in methods():
                started = time.perf_counter()
                labels, accuracy, cover, wrong = run(crowd, pred_probs)
                seconds = time.perf_counter() - started
                errors = int((labels != crowd.truth).sum())
                rows.append({"crowd": name, "seed": seed, "method": method,
                             "accuracy": 1 - errors / len(crowd.truth), "correlation": correlation(accuracy, crowd),
                             "cover": cover, "expected wrong": wrong, "wrong": errors, "seconds": seconds})
    return pandas.DataFrame(rows)


def table(found, figure, names, crowds):
    return found.pivot_table(index="crowd", columns="method", values=figure).reindex(index=crowds, columns=names)


def show(title, frame, decimals):
    print(f"\n{title}")
    print(frame.round(decimals).to_string())


def behind(found, ours, peers, crowds):
    """Where a peer is better by more than two standard errors of the paired difference."""
    lost = []
    for crowd in crowds:
        scores = found[found.crowd == crowd].pivot(index="seed", columns="method", values="accuracy")
        for peer in peers:
            difference = scores[peer] - scores[ours]
            error = difference.std(ddof=1) / len(difference) ** 0.5
            if difference.mean() > 2 * error and difference.mean() > 0:
                lost.append((crowd, ours, peer, difference.mean(), error))
    return lost


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--crowd", action="append")
    parser.add_argument("--seeds", type=int)
    options = parser.parse_args()
    crowds = options.crowd or CROWDS
    found = measure(crowds, options.seeds or (QUICK_SEEDS if options.quick else SEEDS))
    alone, with_model = list(VOTES_ALONE), list(WITH_MODEL)
    everything = alone + with_model
    show("accuracy of the consensus, votes alone (share)", table(found, "accuracy", alone, crowds), 4)
    show("accuracy of the consensus, with a model (share)", table(found, "accuracy", with_model, crowds), 4)
    show("estimated against true accuracy of annotators (correlation)", table(found, "correlation", everything, crowds), 3)
    ours = [name for name in everything if name.startswith("temper")]
    show("90 % intervals that have the true accuracy (share)", table(found, "cover", ours, crowds), 3)
    wrong = table(found, "expected wrong", ours, crowds).add_suffix(", expected")
    true = table(found, "wrong", ours, crowds).add_suffix(", true")
    show("wrong consensus labels (items)", pandas.concat([wrong, true], axis=1).sort_index(axis=1), 1)
    show("time (seconds)", table(found, "seconds", everything, crowds), 3)
    if os.path.exists(REAL_VOTES):
        show("real votes: held-out votes that are the consensus of the others (share), and time (seconds)",
             measure_real(REAL_VOTES, QUICK_SEEDS), 4)
    else:
        print(f"\nreal votes: {REAL_VOTES} is not there; tools/setup quality gets it")
    lost = behind(found, "temper", [name for name in alone if not name.startswith("temper")], crowds)
    lost += behind(found, "temper + P", ["cleanlab + P"], crowds)
    lost += behind(found, "temper + X", ["temper", "temper + P", "cleanlab + P"], crowds)
    print("\nwhere temper is behind, by more than two standard errors:" + ("" if lost else " nowhere"))
    for crowd, method, peer, difference, error in lost:
        print(f"  {crowd}: {method} by {difference:.4f} (+- {error:.4f}) behind {peer}")


if __name__ == "__main__":
    main()
