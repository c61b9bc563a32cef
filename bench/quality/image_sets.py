"""Image sets for the study of the default temperatures, from $TEMPER_DATA, else ../shared/data: cases beside those of
packages, among them some that no linear model fits and labels by a mistaken annotator, as people give them."""
import gzip
import os
import pathlib

import numpy
from sklearn.neighbors import KNeighborsClassifier

import label_noise

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(os.environ.get("TEMPER_DATA") or ROOT.parent / "shared" / "data")
ROWS = 5000  # of each set, of which Fashion-MNIST's and CIFAR's are drawn
FASHION = "fashion-mnist/train-{}-idx{}-ubyte.gz"
CIFAR = "cifar10/frog-ship.bin.gz"
COVTYPE = "covtype/covtype.data.gz"


def fashion():
    """Ten classes, pixels / 255."""
    with gzip.open(FOLDER / FASHION.format("images", 3)) as file:
        pixels = numpy.frombuffer(file.read(16 + 784 * ROWS), numpy.uint8, offset=16)
    with gzip.open(FOLDER / FASHION.format("labels", 1)) as file:
        labels = numpy.frombuffer(file.read(8 + ROWS), numpy.uint8, offset=8)
    return pixels.reshape(-1, 784) / 255, labels.astype(numpy.int64)


def pooled(side):
    """Fashion-MNIST in side x side pixels."""
    def load():
        pixels, labels = fashion()
        width = 28 // side
        blocks = pixels.reshape(-1, side, width, side, width)
        return blocks.mean(axis=(2, 4)).reshape(len(labels), -1), labels
    return load


def cifar():
    """Frogs and ships, each channel in 8 x 8 pixels."""
    with gzip.open(FOLDER / CIFAR) as file:
        records = numpy.frombuffer(file.read(), numpy.uint8).reshape(-1, 3073)
    records = records[numpy.random.default_rng(1).permutation(len(records))[:ROWS]]
    blocks = records[:, 1:].reshape(-1, 3, 8, 4, 8, 4) / 255
    return blocks.mean(axis=(3, 5)).reshape(len(records), -1), (records[:, 0] == 8).astype(numpy.int64)


def covtype():
    """Seven classes of forest."""
    with gzip.open(FOLDER / COVTYPE, "rt") as file:
        table = numpy.loadtxt((line for number, line in enumerate(file) if number % 18 == 0), delimiter=",")
    return table[:, :-1], numpy.unique(table[:, -1], return_inverse=True)[1]


SETS = {"cifar-frog-ship": cifar, "covtype-7": covtype, "fashion-2x2": pooled(2), "fashion-4x4": pooled(4),
        "fashion-7x7": pooled(7)}
FILES = {"cifar-frog-ship": CIFAR, "covtype-7": COVTYPE}


def available():
    return [name for name in SETS if (FOLDER / FILES.get(name, FASHION.format("images", 3))).exists()]


def annotator(share):
    """This share of the rows is labelled by one who has seen 20 rows of each class: by the three nearest of these."""
    def noise(x, y, seed):
        random = numpy.random.default_rng(seed)
        seen = numpy.concatenate([random.permutation(numpy.flatnonzero(y == label))[:20] for label in numpy.unique(y)])
        said = KNeighborsClassifier(3).fit(x[seen], y[seen]).predict(x)
        return numpy.where(random.random(len(y)) < share, said, y)
    return noise


def kinds_for(classes):
    """Those of the packages' sets, and two annotators."""
    return {**label_noise.kinds_for(classes),
            "annotator half": annotator(0.5), "annotator all": annotator(1)}
