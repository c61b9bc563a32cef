"""Audits of data sets from packages, half of which were not used to design the method, under all kinds of noise.

    audit_judged.py RECORD [--half judged|design|more] [--seeds N] [--rows N] [--sets NAME,...] [--again | --peers]

Beside temper's audit, all by probabilities out of five folds and ranked by the one of the given label if nothing else is
said: cleanlab's self-confidence and normalised margin of a standardised LogisticRegression; the same regression with the
penalty of the least out-of-fold log loss; the 20 nearest neighbours; and as a list cleanlab's find_label_issues.
Printed by kind of noise: mean average precision; in how many cases temper is at least as good; the rows that are listed
by default and how many of them are wrong, against what the audit expects; how often it lists nothing; then the cases
where it loses. A case in the record is not measured again, unless --again asks for temper's part; --peers measures the
others alone."""
import argparse
import collections
import json
import os
import pathlib
import warnings

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"  # before numpy is imported

import label_noise
import numpy
import package_data
import temperlr
from cleanlab.filter import find_label_issues
from cleanlab.rank import get_label_quality_scores
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

LEAST_CLASS = 5  # rows of each class that the noise has to leave
LEAST_LISTED = 5  # rows from which the precision of a list is compared
PEERS = ("self-confidence", "margin", "tuned", "neighbours")
PENALTIES = (0.01, 0.1, 1, 10)  # C of the regression
CLASS_NOISE = ("random 10 %", "random 20 %", "random 40 %", "pair 20 %", "pair 40 %", "class 30 %")
LOSES = 0.05  # a case is printed if another average precision is higher by this


def out_of_fold(model, x, given):
    folds = StratifiedKFold(5, shuffle=True, random_state=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cross_val_predict(make_pipeline(StandardScaler(), model), x, given, cv=folds, method="predict_proba")


def list_of(listed, wrong):
    """What a list is worth."""
    found, all_wrong = int(wrong[listed].sum()), int(wrong.sum())
    return {"listed": len(listed), "precision": found / len(listed) if len(listed) else None,
            "recall": found / all_wrong if all_wrong else None,
            "f1": 2 * found / (len(listed) + all_wrong) if all_wrong else None}


def measure_peers(x, wrong, given):
    """Average precision of each ranking, and cleanlab's list."""
    by_penalty = {c: out_of_fold(LogisticRegression(C=c, max_iter=500), x, given) for c in PENALTIES}
    tuned = min(by_penalty.values(), key=lambda p: log_loss(given, p, labels=numpy.arange(p.shape[1])))
    votes = out_of_fold(KNeighborsClassifier(20), x, given)
    rows = numpy.arange(len(given))
    scores = (get_label_quality_scores(given, by_penalty[1], method="self_confidence"),
              get_label_quality_scores(given, by_penalty[1], method="normalized_margin"),
              tuned[rows, given], votes[rows, given])
    found = list_of(find_label_issues(given, by_penalty[1], return_indices_ranked_by="self_confidence", n_jobs=1), wrong)
    if wrong.any():
        found["average"] = dict(zip(PEERS, (float(average_precision_score(wrong, -score)) for score in scores)))
    return found


def measure_temper(x, wrong, given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        report = temperlr.find_label_issues(x, given)
    listed = report.indices()
    order = numpy.empty(len(given))
    order[report.ranking] = -numpy.arange(len(given))
    found = list_of(listed, wrong)
    found |= {"rows": len(given), "wrong": int(wrong.sum()), "undecided": bool(report.undecided),
              "expected": report.expected_precision() if len(listed) else None}
    if wrong.any():
        found["average"] = float(average_precision_score(wrong, order))
    return found


def cases(options):
    """(name, kind of noise, seed, rows, labels, noisy labels)"""
    for name in options.sets.split(",") if options.sets else package_data.HALVES[options.half]:
        x, y = package_data.load(name)
        for seed in range(options.seeds):
            keep = numpy.random.default_rng(seed).permutation(len(y))[:options.rows]
            for kind, noise in label_noise.kinds_for(y.max() + 1).items():
                if kind == "clean" and seed > 0 and len(keep) == len(y):
                    continue
                given = numpy.asarray(noise(x[keep], y[keep], seed)).astype(int)
                if numpy.bincount(given, minlength=y.max() + 1).min() >= LEAST_CLASS:
                    yield name, kind, seed, x[keep], y[keep], given


# ---- What is printed -----------------------------------------------------------------------------------------------


def mean(values):
    values = [value for value in values if value is not None]
    return numpy.mean(values) if values else numpy.nan


def is_honest(case):
    """The expected precision is within .1 of the true one, or nothing much is listed."""
    own = case["temper"]
    return own["listed"] < LEAST_LISTED or abs(own["expected"] - own["precision"]) <= 0.1


def at_least(found, peers):
    return numpy.mean([case["temper"]["average"] >= max(case["peers"]["average"][peer] for peer in peers) - 0.0005
                       for case in found])


def print_rankings(groups):
    print("average precision, and share of cases where temper's is at least that of the peer, and of both of cleanlab's")
    print(f"{'noise':<20}{'cases':>6}{'temper':>8}" + "".join(f"{peer:>22}" for peer in PEERS) + f"{'both':>7}")
    for kind, found in groups.items():
        found = [case for case in found if "average" in case["temper"]]
        if found:
            others = "".join(f"{mean([case['peers']['average'][peer] for case in found]):>16.3f}"
                             f"{at_least(found, [peer]):>6.0%}" for peer in PEERS)
            print(f"{kind:<20}{len(found):>6}{mean([case['temper']['average'] for case in found]):>8.3f}{others}"
                  f"{at_least(found, PEERS[:2]):>7.0%}")


def print_lists(groups):
    print("\ndefault lists: share of rows, precision, recall, F1 (of lists that are not empty), of temper and of cleanlab's\n"
          "find_label_issues; expected precision within .1 of the true one; the same or nothing listed")
    print(f"{'noise':<20}{'cases':>6}{'temper':>31}{'cleanlab':>31}{'within .1':>12}{'honest':>8}{'empty':>7}")
    for kind, found in groups.items():
        parts = ""
        for which in ("temper", "peers"):
            share = sum(case[which]["listed"] for case in found) / sum(case["temper"]["rows"] for case in found)
            parts += f"{share:>10.2%}" + "".join(
                f"{mean([case[which][what] for case in found if case['temper']['listed'] > 0]):>7.3f}"
                for what in ("precision", "recall", "f1"))
        lists = [case for case in found if case["temper"]["listed"] >= LEAST_LISTED]
        within = f"{sum(map(is_honest, lists))}/{len(lists)}"
        print(f"{kind:<20}{len(found):>6}{parts}{within:>12}{numpy.mean([*map(is_honest, found)]):>8.0%}"
              f"{numpy.mean([case['temper']['listed'] == 0 for case in found]):>7.0%}")


def print_losses(record):
    print("\nwhere temper loses: lists that promise another precision; rankings that are worse by .05")
    for key, case in record.items():
        own = case["temper"]
        best = max(case["peers"].get("average", {"none": 0}).items(), key=lambda item: item[1])
        if not is_honest(case):
            print(f"{key:<42} {own['listed']:>5} listed, {own['expected']:.2f} expected, {own['precision']:.2f} true")
        if own.get("average", 1) < best[1] - LOSES:
            print(f"{key:<42} average precision {own['average']:.3f}, {best[0]} {best[1]:.3f}")


def summary(record):
    groups = collections.defaultdict(list)
    for key in sorted(record):
        case = record[key]
        kind = key.split("|")[1]
        groups[kind].append(case)
        if kind in CLASS_NOISE:
            groups["by class"].append(case)
        if kind != "clean":
            groups["all with noise"].append(case)
    print_rankings(groups)
    print_lists(groups)
    print_losses(record)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record", type=pathlib.Path)
    parser.add_argument("--half", choices=package_data.HALVES, default="judged")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--sets", default="")
    parser.add_argument("--again", action="store_true", help="measure temper's part of the cases again")
    parser.add_argument("--peers", action="store_true", help="measure the other methods alone")
    options = parser.parse_args()
    record = json.loads(options.record.read_text(encoding="utf8")) if options.record.exists() else {}
    for name, kind, seed, x, y, given in cases(options):
        case = record.setdefault(f"{name}|{kind}|{seed}", {})
        changed = False
        if "peers" not in case:
            case["peers"] = measure_peers(x, y != given, given)
            changed = True
        if not options.peers and (options.again or "temper" not in case):
            case["temper"] = measure_temper(x, y != given, given)
            changed = True
        if changed:
            options.record.write_text(json.dumps(record, indent=0), encoding="utf8")
    if not options.peers:
        summary(record)


main()
