"""Many fits by the Python package beside its peers, in one process, on one thread: LogisticRegressionCV of temperlr and of
scikit-learn with their defaults (10 penalties, 5 folds), and an audit beside cleanlab's route: cross_val_predict of
LogisticRegression on 5 folds, find_label_issues, self-confidence of each label.

    many_fits.py RECORD [--only cv|audit] [--set NAME] [--rounds N] [--quick]

Processor seconds, medians of interleaved rounds after one that is not counted; temperlr with the fastest kernel and with
TEMPER_KERNEL=avx2. Of LogisticRegressionCV also the objectives of the fits to folds beside scikit-learn's. Sets with a star
chose nothing in the code. Sets whose data is missing are left out. --quick: two rounds, and not the sets that take long."""
import argparse
import importlib.util
import json
import os
import pathlib
import time
import warnings

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[_name] = "1"  # before NumPy is loaded

import numpy  # noqa: E402
import sklearn.datasets  # noqa: E402
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV  # noqa: E402
from sklearn.model_selection import StratifiedKFold, cross_val_predict  # noqa: E402

import train_data  # noqa: E402
import tune_peers  # noqa: E402

KERNELS = {"temper": "", "temper, avx2": "avx2"}


# ---- Data ------------------------------------------------------------------------------------------------------------

def covertype(rows, classes):
    x, y = train_data.covertype(train_data.find_data(), classes)[0]
    return x[:rows].astype(float), y[:rows]


def of_folder(name):
    return train_data.MAKERS[name](train_data.find_data())[0]


def spambase():
    x, y = tune_peers.spambase_like()
    return tune_peers.standardised(x), y


def fashion(classes, rows):
    x, y = train_data.only(*train_data.fashion(train_data.find_data(), "t10k"), classes)
    return x[:rows].astype(float), y[:rows]


def of_sklearn(load):
    x, y = load(return_X_y=True)
    return tune_peers.standardised(x), y


def correlated(shape, factors, noise, seed):
    """Dense features that are sums of a few factors and noise, standardised; 5 % of the labels are flipped."""
    random = numpy.random.default_rng(seed)
    hidden = random.normal(size=(shape[0], factors)) * numpy.exp(-0.1 * numpy.arange(factors))
    x = hidden @ random.normal(size=(factors, shape[1])) + noise * random.normal(size=shape)
    y = hidden[:, :10] @ random.normal(size=10) + 0.5 * random.normal(size=shape[0]) > 0
    return tune_peers.standardised(x), y ^ (random.random(shape[0]) < 0.05)


def gene_like(shape, seed):
    """Few rows of many features, 40 of which differ between the classes, with 8 factors that do not."""
    random = numpy.random.default_rng(seed)
    y = numpy.arange(shape[0]) % 2
    x = random.normal(size=shape) + 0.5 * random.normal(size=(shape[0], 8)) @ random.normal(size=(8, shape[1]))
    x[:, :40] += 0.5 * y[:, None] * random.normal(size=40)
    order = random.permutation(shape[0])
    return x[order], y[order]


SETS = {
    "spambase": spambase,
    "covertype 2 v 3, 10,000 rows": lambda: covertype(10_000, [2, 3]),
    "amazon-kitchen": lambda: of_folder("amazon-kitchen"),
    "fashion 2 v 4, 2,000 rows": lambda: fashion([2, 4], 2000),
    "a9a": lambda: of_folder("a9a"),
    "breast cancer *": lambda: of_sklearn(sklearn.datasets.load_breast_cancer),
    "covertype 1 v 2, 8,000 rows *": lambda: covertype(8_000, [1, 2]),
    "fashion 7 v 9, 1,500 rows *": lambda: fashion([7, 9], 1500),
    "made, 6,000 x 40 *": lambda: sklearn.datasets.make_classification(6000, 40, n_informative=12, flip_y=0.1, random_state=5),
    "text-like, 4,000 x 20,000 *": tune_peers.text_like,
    "text-like, 2,500 x 50,000 *": lambda: tune_peers.text_like(2500, 50_000, 3),
    "correlated, 3,000 x 1,500 *": lambda: correlated((3000, 1500), 60, 0.3, 21),
    "correlated, 1,000 x 2,000 *": lambda: correlated((1000, 2000), 15, 1.5, 22),
    "gene-like, 150 x 4,000 *": lambda: gene_like((150, 4000), 23),
    "digits *": lambda: of_sklearn(sklearn.datasets.load_digits),
    "covertype 1 to 7, 5,000 rows *": lambda: covertype(5_000, range(1, 8)),
}
LONG = ("correlated, 3,000 x 1,500 *",)  # seconds of a fit; not with --quick
MANY_CLASSES = ("digits *", "covertype 1 to 7, 5,000 rows *")
# More than 10,000 rows, or more features than an audit of tables has.
NOT_SMALL = ("a9a", "text-like, 4,000 x 20,000 *", "text-like, 2,500 x 50,000 *", "correlated, 3,000 x 1,500 *",
             "correlated, 1,000 x 2,000 *", "gene-like, 150 x 4,000 *")


def load(name):
    """(x, y), the labels from 0 on; None where the data is missing."""
    try:
        x, y = SETS[name]()
    except (FileNotFoundError, TypeError):
        return None
    return x, numpy.unique(y, return_inverse=True)[1]


# ---- Contenders ------------------------------------------------------------------------------------------------------

def cross_validate(who):
    def run(x, y):
        return who(scoring="accuracy", l1_ratios=(0,), use_legacy_attributes=False).fit(x, y)
    return run


def cleanlab_route(x, y):
    import cleanlab.filter
    import cleanlab.rank
    p = cross_val_predict(LogisticRegression(), x, y, cv=5, method="predict_proba")
    cleanlab.filter.find_label_issues(y, p, return_indices_ranked_by="self_confidence", n_jobs=1)
    return cleanlab.rank.get_self_confidence_for_each_label(y, p)


def by_kernel(run):
    """The same with each kernel: the library reads the variable in every call."""
    def with_kernel(kernel):
        def run_with(x, y):
            os.environ["TEMPER_KERNEL"] = kernel
            if not kernel:
                del os.environ["TEMPER_KERNEL"]
            try:
                return run(x, y)
            finally:
                os.environ.pop("TEMPER_KERNEL", None)
        return run_with
    return {name: with_kernel(kernel) for name, kernel in KERNELS.items()}


def contenders(part):
    """(name of the peer, all by name)"""
    import temperlr
    import temperlr.linear_model
    if part == "cv":
        ours = cross_validate(temperlr.linear_model.LogisticRegressionCV)
        return "scikit-learn", {"scikit-learn": cross_validate(LogisticRegressionCV), **by_kernel(ours)}
    ours = by_kernel(lambda x, y: temperlr.find_label_issues(x, y, n_jobs=1))
    return "cleanlab's route", {"cleanlab's route": cleanlab_route, **ours}


# ---- Objectives of fits to folds -------------------------------------------------------------------------------------

def objectives(x, y, model):
    """[fold, C]: the mean loss of the rows outside of the fold, with the penalty."""
    found = []
    for (rows, _), weights in zip(StratifiedKFold(len(model.coefs_paths_)).split(x, y), model.coefs_paths_[:, 0, :, 0]):
        scores = (x[rows] @ weights[:, :-1].T + weights[:, -1]) * (2 * y[rows, None] - 1)
        squares = (weights[:, :-1] ** 2).sum(axis=1)
        found.append(numpy.logaddexp(0, -scores).mean(axis=0) + squares / (2 * model.Cs_ * len(rows)))
    return numpy.array(found)


def compare_objectives(x, y, peer, ours):
    """As text: in how many fits ours is higher, and the largest mean difference of a penalty."""
    difference = objectives(x, y, ours) - objectives(x, y, peer)
    return (f"objective higher in {(difference > 1e-12).sum()} of {difference.size} fits, by penalty "
            f"{difference.mean(axis=0).min():.0e} to {difference.mean(axis=0).max():.0e}")


# ---- Measurement -----------------------------------------------------------------------------------------------------

def measure(runs, x, y, rounds):
    """Median seconds by name, and the last results."""
    seconds, results = {name: [] for name in runs}, {}
    for number in range(rounds + 1):
        for name, run in runs.items():
            start = time.process_time()
            results[name] = run(x, y)
            if number > 0:
                seconds[name].append(time.process_time() - start)
    return {name: float(numpy.median(values)) for name, values in seconds.items()}, results


def compare(part, names, rounds):
    peer, runs = contenders(part)
    print({"cv": "LogisticRegressionCV, 10 penalties, 5 folds", "audit": "An audit beside cleanlab's route"}[part])
    records = []
    for name in names:
        found = load(name)
        if found is None:
            print(f"  {name:<32} the data is not here; set TEMPER_DATA")
            continue
        seconds, results = measure(runs, *found, rounds)
        ratios = {who: seconds[peer] / seconds[who] for who in KERNELS}
        note = ""
        if part == "cv":
            best = [float(results[who].scores_.mean(axis=0).max()) for who in (peer, "temper")]
            note = f", accuracy {100 * best[1]:.2f} v {100 * best[0]:.2f} %"
            if results[peer].coefs_paths_.shape[3] == 1:
                note += ", " + compare_objectives(*found, results[peer], results["temper"])
        if min(ratios.values()) < 1:
            note += ", slower"
        print(f"  {name:<32} {peer} {seconds[peer]:.3f} s, " +
              ", ".join(f"{who} {seconds[who]:.3f} s ({ratios[who]:.2f}x)" for who in KERNELS) + note, flush=True)
        records.append({"part": part, "set": name, "shape": list(found[0].shape), "seconds": seconds, "ratios": ratios})
    return records


def lines(records):
    """As the other parts of the bench write them: the seconds of the peer over those of temper."""
    titles = {"cv": "Many fits: LogisticRegressionCV beside scikit-learn's", "audit": "Many fits: audits beside cleanlab's route"}
    return [{"section": titles[row["part"]], "what": f"{row['set']}, {who}", "value": round(ratio, 3), "target": 1,
             "direction": "at least", "met": ratio >= 1, "ours": round(row["seconds"][who], 4)}
            for row in records for who, ratio in row["ratios"].items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("record", type=pathlib.Path)
    parser.add_argument("--only", choices=("cv", "audit"))
    parser.add_argument("--set", action="append", choices=list(SETS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    names = options.set or [name for name in SETS if not (options.quick and name in LONG)]
    options.rounds = 2 if options.quick else options.rounds
    records = []
    if importlib.util.find_spec("temperlr") is None:
        raise SystemExit("the package temperlr is not installed here; make bench-tune installs it")
    if options.only != "audit":
        records += compare("cv", [name for name in names if name not in MANY_CLASSES or options.set], options.rounds)
    if options.only != "cv" and importlib.util.find_spec("cleanlab"):
        records += compare("audit", [name for name in names if name not in NOT_SMALL], options.rounds)
    elif options.only != "cv":
        print("cleanlab is not installed; tools/setup bench installs it")
    options.record.write_text(json.dumps({"lines": lines(records), "fits": records}, indent=1) + "\n")


if __name__ == "__main__":
    main()
