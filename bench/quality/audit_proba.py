"""An audit by the probabilities of other models, beside cleanlab's rankings by the same probabilities.

    audit_proba.py [--half design|more|judged] [--quick] [--seeds N] [--set NAME] [--keep FOLDER] [--cases]

For each set, kind of noise and seed a neural network (MLPClassifier) and a random forest of scikit-learn are fitted on
the noisy labels, and predict out of fold, with the same five folds. The mistakes are ranked by
  self-confidence, margin   cleanlab's self_confidence and normalized_margin
  temper                    find_label_issues(y=, pred_probs=): labels and probabilities alone, as cleanlab
  temper, features          the same with features=X
and compared by average precision. A case is one set, noise, seed and model. Choices of the method were made on the
design sets and on more of these; `--half judged`, the default, are the others. FOLDER keeps the probabilities for the next run."""
import argparse
import os
import pathlib
import time
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"  # before numpy is imported

import numpy
from cleanlab.rank import get_label_quality_scores
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import label_noise
import package_data
import temperlr

# Sets of 500 rows or more; half of each part has more than two classes.
SETS = {
    "design": ["contraceptive", "digits", "german", "led7digit", "magic", "penbased", "phoneme", "ring", "satimage",
               "segment", "splice", "travel-mode", "twonorm", "vote92"],
    "more": ["catsup", "cowles", "cracker", "fishing", "health-insurance", "heating", "kakadu", "mexico", "movies",
             "somerville", "vehicle-choice", "yogurt"],
    "judged": ["banana", "breast_cancer", "chile", "diamonds", "forbes", "letter", "mammographic", "pima",
               "seattle-weather", "spambase", "texture", "turnout", "vehicle", "vowel"],
}
NOISE = ("random 10 %", "random 20 %", "random 40 %", "pair 20 %", "pair 40 %", "class 30 %")
ROWS, FOLDS, SEEDS = 1500, 5, (1, 2)
PEERS = ("self-confidence", "margin")
RANKINGS = (*PEERS, "temper", "temper, features")


def models(seed):
    return {"network": make_pipeline(StandardScaler(), MLPClassifier((64,), max_iter=60, random_state=seed)),
            "forest": RandomForestClassifier(100, random_state=seed)}


def rows_of(name, seed):
    x, y = package_data.load(name)
    chosen = numpy.random.default_rng(seed).permutation(len(y))[:ROWS]
    # Classes that the sample has too few rows of for the folds are left out.
    counts = numpy.bincount(y[chosen], minlength=y.max() + 1)
    chosen = chosen[counts[y[chosen]] >= 2 * FOLDS]
    return x[chosen], numpy.unique(y[chosen], return_inverse=True)[1]


def out_of_fold(keep, key, model, x, given, seed):
    """Probabilities of each row by a model that has not seen it; kept in a file, if that is asked for."""
    path = keep / f"{key}.npy" if keep else None
    if path and path.exists():
        return numpy.load(path)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the network stops by its limit of iterations
        found = cross_val_predict(model, x, given, cv=folds, method="predict_proba")
    if path:
        numpy.save(path, found)
    return found


def precisions(x, y, given, probabilities):
    """Average precision of each ranking; and of temper: expected and true precision of the list, and its length."""
    wrong = given != y
    scores = {"self-confidence": -get_label_quality_scores(given, probabilities, method="self_confidence"),
              "margin": -get_label_quality_scores(given, probabilities, method="normalized_margin")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        reports = {"temper": temperlr.find_label_issues(y=given, pred_probs=probabilities),
                   "temper, features": temperlr.find_label_issues(y=given, pred_probs=probabilities, features=x)}
    # Scores, not ranks: a forest gives many rows equal probabilities, and ties count for all alike.
    scores |= {name: report.score for name, report in reports.items()}
    listed = reports["temper"].indices()
    return ({name: average_precision_score(wrong, scores[name]) for name in RANKINGS},
            (reports["temper"].expected_precision(), wrong[listed].mean() if len(listed) else numpy.nan, len(listed)))


def cases(arguments):
    sets = [arguments.set] if arguments.set else SETS[arguments.half]
    for name in sets[::3] if arguments.quick else sets:
        for seed in SEEDS[:1 if arguments.quick else arguments.seeds]:
            x, y = rows_of(name, seed)
            kinds = label_noise.kinds_for(y.max() + 1)
            for kind in NOISE:
                if kind in kinds:
                    yield name, seed, kind, x, y, kinds[kind](x, y, seed)


def run(arguments):
    found = []
    for name, seed, kind, x, y, given in cases(arguments):
        for model, classifier in models(seed).items():
            key = f"{name}-{seed}-{kind}-{model}".replace(" ", "_").replace("%", "")
            probabilities = out_of_fold(arguments.keep, key, classifier, x, given, seed)
            average, lists = precisions(x, y, given, probabilities)
            found.append({"set": name, "noise": kind, "model": model, "classes": y.max() + 1, "lists": lists, **average})
            if arguments.cases:
                print(f"{name:<16} {y.max() + 1:3} {seed} {kind:<12} {model:<8} "
                      + " ".join(f"{average[ranking]:.3f}" for ranking in RANKINGS), flush=True)
    return found


def share_at_least(found, ranking, peers, less=0.0005):
    """The share of cases where the average precision is at least the peers', less rounding or another tolerance."""
    return numpy.mean([case[ranking] >= max(case[peer] for peer in peers) - less for case in found])


def line(title, found):
    means = " ".join(f"{numpy.mean([case[ranking] for case in found]):9.3f}" for ranking in RANKINGS)
    shares = " ".join(f"{100 * share_at_least(found, ranking, peers):7.0f} %"
                      for ranking in RANKINGS[2:] for peers in ((PEERS[0],), (PEERS[1],), PEERS))
    print(f"{title:<14} {len(found):5} {means}  {shares}")


def report(found):
    print("average precision: self-confidence, margin, temper, temper with features;")
    print("share of cases at least as good as self-confidence, margin, the better of both: temper; with features")
    line("all", found)
    for member in ("noise", "model"):
        for value in dict.fromkeys(case[member] for case in found):
            line(str(value), [case for case in found if case[member] == value])
    line("two classes", [case for case in found if case["classes"] == 2])
    line("more", [case for case in found if case["classes"] > 2])
    for ranking in RANKINGS[2:]:
        print(f"{ranking}: worse than self-confidence by more than .01 in "
              f"{100 * (1 - share_at_least(found, ranking, PEERS[:1], 0.01)):.0f} % of cases, than the better of both in "
              f"{100 * (1 - share_at_least(found, ranking, PEERS, 0.01)):.0f} %")
    lists = numpy.array([case["lists"] for case in found])
    with_list = ~numpy.isnan(lists[:, 1])
    close = numpy.abs(lists[with_list, 0] - lists[with_list, 1]) <= 0.1
    print(f"expected precision of the default list within .1 of the true one: {100 * close.mean():.0f} % of "
          f"{with_list.sum()} lists")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=SETS, default="judged")
    parser.add_argument("--set", help="one set alone")
    parser.add_argument("--quick", action="store_true", help="a third of the sets, one seed")
    parser.add_argument("--seeds", type=int, default=len(SEEDS))
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the probabilities")
    parser.add_argument("--cases", action="store_true", help="print each case")
    arguments = parser.parse_args()
    if arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)
    started = time.time()
    report(run(arguments))
    print(f"{time.time() - started:.0f} seconds")


main()
