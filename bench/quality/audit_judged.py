"""Audits of data sets from packages, half of which were not used to design the method, under all kinds of noise.

    audit_judged.py RECORD [--half judged|design] [--seeds N] [--rows N] [--sets NAME,...]

Beside temper's audit: cleanlab's self-confidence and normalised margin of a standardised LogisticRegression, out of the
same number of folds. Printed by kind of noise: mean average precision; in how many cases temper is at least as good as
each; the rows that are listed by default and how many of them are wrong, against what the audit expects; how often it says
that it cannot tell. A case in the record is not measured again."""
import argparse
import collections
import json
import pathlib
import warnings

import label_noise
import numpy
import package_data
import temperlr
from cleanlab.rank import get_label_quality_scores
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

LEAST_CLASS = 5  # rows of each class that the noise has to leave
LEAST_LISTED = 5  # rows from which the precision of a list is compared


def cleanlab_scores(x, given):
    """By self-confidence and by normalised margin, larger: more suspicious."""
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        p = cross_val_predict(model, x, given, cv=StratifiedKFold(5, shuffle=True, random_state=1), method="predict_proba")
    return [-get_label_quality_scores(given, p, method=name) for name in ("self_confidence", "normalized_margin")]


def measure(x, true, given):
    """One case: average precisions, and the default list."""
    wrong = true != given
    report = temperlr.find_label_issues(x, given)
    listed = report.indices()
    order = numpy.empty(len(given))
    order[report.ranking] = -numpy.arange(len(given))
    found = {"rows": len(given), "wrong": int(wrong.sum()), "listed": len(listed), "undecided": bool(report.undecided),
             "expected": float(report.score[listed].mean()) if len(listed) else None,
             "precision": float(wrong[listed].mean()) if len(listed) else None}
    if wrong.any():
        others = cleanlab_scores(x, given)
        found["average"] = [float(average_precision_score(wrong, s)) for s in (order, *others)]
    return found


def cases(options):
    """(name, rows, labels, kind, seed, noisy labels)"""
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


def summary(record):
    groups = collections.defaultdict(list)
    for key, case in record.items():
        groups[key.split("|")[1]].append(case)
    print(f"{'noise':<20}{'cases':>6}  {'temper':>7}{'selfconf':>9}{'margin':>7}  {'>= both':>8}  {'listed':>7}{'within .1':>10}"
          f"{'or told':>8}")
    for kind, found in sorted(groups.items()):
        average = numpy.array([case["average"] for case in found if "average" in case])
        lists = [abs(case["expected"] - case["precision"]) <= 0.1 for case in found if case["listed"] >= LEAST_LISTED]
        told = sum(lists) + sum(case["listed"] < LEAST_LISTED for case in found)
        means = average.mean(axis=0) if len(average) else [numpy.nan] * 3
        both = (average[:, 0] >= average[:, 1:].max(axis=1)).mean() if len(average) else numpy.nan
        share = sum(case["listed"] for case in found) / sum(case["rows"] for case in found)
        print(f"{kind:<20}{len(found):>6}  {means[0]:>7.3f}{means[1]:>9.3f}{means[2]:>7.3f}  {both:>8.0%}  {share:>7.2%}"
              f"{sum(lists):>6}/{len(lists):<3}{told / len(found):>8.0%}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record", type=pathlib.Path)
    parser.add_argument("--half", choices=("judged", "design"), default="judged")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--sets", default="")
    options = parser.parse_args()
    record = json.loads(options.record.read_text(encoding="utf8")) if options.record.exists() else {}
    for name, kind, seed, x, y, given in cases(options):
        key = f"{name}|{kind}|{seed}"
        if key not in record:
            record[key] = measure(x, y, given)
            options.record.write_text(json.dumps(record, indent=0), encoding="utf8")
    summary(record)


main()
