"""Data sets for bench/training/train.py: read, scaled, and written once, so that all train on the same
numbers. Each set is a folder: train.npy (or train.libsvm, if sparse) as float32, train.labels,
train.svm for LIBLINEAR if dense, and the same for test rows where there are any."""
import gzip
import os
import pathlib
import subprocess
import sys

import numpy
import scipy.sparse
from sklearn.datasets import load_svmlight_file

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # the folders of bench/ import each other
from training import shapes  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]


def find_data():
    """The folder of data sets, or None."""
    for place in (os.environ.get("TEMPER_DATA"), ROOT.parent / "shared" / "data"):
        if place and pathlib.Path(place).is_dir():
            return pathlib.Path(place)
    return None


def read_bytes(path, skip=0):
    return numpy.frombuffer(gzip.decompress(path.read_bytes()), numpy.uint8)[skip:]


def fashion(data, part):
    folder = data / "fashion-mnist"
    x = read_bytes(folder / f"{part}-images-idx3-ubyte.gz", 16).reshape(-1, 784)
    y = read_bytes(folder / f"{part}-labels-idx1-ubyte.gz", 8).astype(int)
    return (x / 255).astype(numpy.float32), y


def only(x, y, classes):
    keep = numpy.isin(y, classes)
    return x[keep], y[keep]


def standardised(x):
    x = x.astype(float)
    deviation = x.std(axis=0)
    return ((x - x.mean(axis=0)) / numpy.where(deviation > 0, deviation, 1)).astype(numpy.float32)


def covertype(data, classes):
    table = numpy.loadtxt(gzip.open(data / "covtype" / "covtype.data.gz"), delimiter=",")
    x, y = only(table[:, :54], table[:, 54].astype(int), classes)
    order = numpy.random.default_rng(1).permutation(len(y))
    x, y, train = standardised(x)[order], y[order], len(y) * 9 // 10
    return (x[:train], y[:train]), (x[train:], y[train:])


def cifar(data):
    table = read_bytes(data / "cifar10" / "frog-ship.bin.gz").reshape(-1, 3073)
    x = (table[:, 2049:] / 255).astype(numpy.float32)
    return (x[:10000], table[:10000, 0].astype(int)), (x[10000:], table[10000:, 0].astype(int))


def sparse(train, test):
    x, y = load_svmlight_file(str(train), dtype=numpy.float32, zero_based=False)
    z, v = load_svmlight_file(str(test), dtype=numpy.float32, zero_based=False)
    columns = max(x.shape[1], z.shape[1])
    x.resize(x.shape[0], columns)
    z.resize(z.shape[0], columns)
    return (x, y.astype(int)), (z, v.astype(int))


def made(rows, columns):
    """Rows that no file is needed for: two classes that a logistic model has drawn."""
    draw = numpy.random.default_rng(7)
    x = draw.standard_normal(size=(rows + 1000, columns), dtype=numpy.float32)
    y = (x @ draw.normal(size=columns) + draw.logistic(size=len(x)) > 0).astype(int)
    return (x[:rows], y[:rows]), (x[rows:], y[rows:])


TEXTS = {"a9a": "a9a/a9a.gz", "20news": "20news/train.libsvm.gz",
         "amazon-kitchen": "amazon-kitchen/train.libsvm.gz"}
MAKERS = {
    "fashion-0v6": lambda d: [only(*fashion(d, part), [0, 6]) for part in ("train", "t10k")],
    "fashion-10": lambda d: [fashion(d, part) for part in ("train", "t10k")],
    "covertype-2v3": lambda d: covertype(d, [2, 3]),
    "covertype-7": lambda d: covertype(d, range(1, 8)),
    "cifar-frog-ship": cifar,
    "a9a": lambda d: sparse(d / TEXTS["a9a"], d / "a9a" / "a9a.t.gz"),
    "20news": lambda d: sparse(d / TEXTS["20news"], d / "20news" / "test.libsvm.gz"),
    "amazon-kitchen": lambda d: sparse(d / TEXTS["amazon-kitchen"],
                                       d / "amazon-kitchen" / "test.libsvm.gz"),
    "made-100": lambda d: made(100, 5),
    "made-10k": lambda d: made(10_000, 20),
    "made-1m": lambda d: made(1_000_000, 20),
    "made-10m": lambda d: made(10_000_000, 20),
}


NO_TEXT = ("made-10m",)  # gigabytes that take longer to write and read than all trainings on them


def write_part(folder, part, x, y):
    numpy.savetxt(folder / f"{part}.labels", y, fmt="%d")
    if scipy.sparse.issparse(x):
        scipy.sparse.save_npz(folder / f"{part}.npz", x, compressed=False)
    else:
        numpy.save(folder / f"{part}.npy", numpy.ascontiguousarray(x))


def make(name, folder, temper):
    """Makes the set if it is not there; False where its data is missing."""
    data = find_data()
    if (folder / "made").exists():
        return True
    if data is None and not name.startswith(("made-", "shape-")):
        return False
    folder.mkdir(parents=True, exist_ok=True)
    try:
        parts = shapes.make(name) if name in shapes.SHAPES else MAKERS[name](data)
    except FileNotFoundError:
        return False
    for part, (x, y) in zip(("train", "test"), parts):
        write_part(folder, part, x, y)
    write_text(name, folder, temper)
    (folder / "made").touch()
    return True


def write_text(name, folder, temper):
    """What LIBLINEAR reads. The shortest digits that give each float32 back."""
    if name in NO_TEXT:
        return
    if (folder / "train.npz").exists():
        path = folder / "train.libsvm"
        if name in shapes.SHAPES:
            write_sparse_text(folder, path)
            return
        path.write_bytes(gzip.decompress((find_data() / TEXTS[name]).read_bytes()))
        return
    subprocess.run([temper, "convert", folder / "train.npy", folder / "train.svm", "--to", "libsvm",
                    "--labels", folder / "train.labels", "--quiet"], check=True)


def write_sparse_text(folder, path):
    """Nine digits give each float32 back; indices count from 1."""
    x, y = load(folder, "train")
    text = [f"{j + 1}:{v:.9g}" for j, v in zip(x.indices.tolist(), x.data.tolist())]
    with open(path, "w", encoding="ascii") as out:
        for i, label in enumerate(y):
            out.write(f"{label} {' '.join(text[x.indptr[i]:x.indptr[i + 1]])}\n")


def load(folder, part):
    """(x, y) as they were made."""
    y = numpy.loadtxt(folder / f"{part}.labels", dtype=int)
    if (folder / f"{part}.npz").exists():
        return scipy.sparse.load_npz(folder / f"{part}.npz").tocsr(), y
    return numpy.load(folder / f"{part}.npy"), y
