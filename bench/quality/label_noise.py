"""The kinds of label noise that quality is judged with. Each takes rows, labels (numbers from 0) and a seed, and
returns labels. Random, pair, margin and class-conditional noise are made by the library, as `temper noise` does."""
import numpy
import temperlr


def by_library(kind, rate):
    return lambda x, y, seed: temperlr.add_noise(x, y, rate, kind, random_state=seed).y


def class_conditional(rate):
    """Half of the classes, drawn by the seed, lose this share of their labels to one other class."""
    def noise(x, y, seed):
        order = numpy.random.default_rng(seed).permutation(len(numpy.unique(y)))
        matrix = numpy.eye(len(order))
        for place in range(len(order) // 2):
            matrix[order[place], order[place]] -= rate
            matrix[order[place], order[place + 1]] += rate
        return temperlr.add_noise(x, y, kind="matrix", matrix=matrix, random_state=seed).y
    return noise


def feature_dependent(rate):
    """Each class has a random direction in the standardised features. A row may be called by the class, other than its
    own, whose direction has the largest product with it; the probability of that rises from 0 to twice the rate with
    the rank of how much larger than the own class's that product is."""
    def noise(x, y, seed):
        random = numpy.random.default_rng(seed)
        spread = x.std(axis=0)
        directions = random.normal(size=(x.shape[1], y.max() + 1))
        scores = (x - x.mean(axis=0)) / numpy.where(spread > 0, spread, 1) @ directions
        rows = numpy.arange(len(y))
        own = scores[rows, y].copy()
        scores[rows, y] = -numpy.inf
        other = scores.argmax(axis=1)
        rank = (scores[rows, other] - own).argsort().argsort() / len(y)
        return numpy.where(random.random(len(y)) < 2 * rate * rank, other, y)
    return noise


def clean(x, y, seed):
    return y


KINDS = {
    "clean": clean,
    "random 10 %": by_library("random", 0.1),
    "random 20 %": by_library("random", 0.2),
    "random 40 %": by_library("random", 0.4),
    "pair 20 %": by_library("pair", 0.2),
    "pair 40 %": by_library("pair", 0.4),
    "small margin 10 %": by_library("small-margin", 0.1),
    "large margin 10 %": by_library("large-margin", 0.1),
    "feature 20 %": feature_dependent(0.2),
    "class 30 %": class_conditional(0.3),
}


def kinds_for(classes):
    """With two classes a flip to the next class is a random flip."""
    return {kind: noise for kind, noise in KINDS.items() if classes > 2 or not kind.startswith("pair")}
