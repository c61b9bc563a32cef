#!/usr/bin/env bash
# Thresholds are about the second class, or that of --positive; figures agree with those made from 'predict --proba'.
need python3
data=$CLI_TESTS/data/two.csv
train_on two.csv model.temper --tol 1e-8
$TEMPER eval -q -m model.temper "$data" | sed -n '/^Taken/,$p' | steady
$TEMPER eval -q -m model.temper "$data" --positive cat | sed -n '/^Taken/,+1p'
temper_exit eval -q -m model.temper "$data" --positive cow
train_on three.csv three.temper
temper_exit eval -q -m three.temper "$CLI_TESTS/data/three.csv" --positive red
$TEMPER eval -q --json -m three.temper "$CLI_TESTS/data/three.csv" | grep -E '"(positive|thresholds|best_f1)"'
$TEMPER eval -q --json -m model.temper "$data" --positive cat >report
$TEMPER predict -q -m model.temper "$data" --proba >proba
python3 - "$data" <<'END'
import json, math, sys
report = json.load(open("report"))
given = [line.rstrip("\n").split(",")[-1] == "cat" for line in open(sys.argv[1])][1:]
head, *rows = [line.rstrip("\n").split("\t") for line in open("proba")]
p = [float(row[head.index("cat")]) for row in rows]
pairs = [(a > b) + (a == b) / 2 for a, y in zip(p, given) if y for b, z in zip(p, given) if not z]
cat = report["each_class"][0]
print(report["positive"], cat["class"], math.isclose(cat["auc"], sum(pairs) / len(pairs), rel_tol=1e-12))
steps = sorted(set(p), reverse=True)
flagged = [[y for x, y in zip(p, given) if x >= step] for step in steps]
average, before = 0, 0
for rows in flagged:
    average += (sum(rows) - before) / sum(given) * sum(rows) / len(rows)
    before = sum(rows)
print(math.isclose(cat["average_precision"], average, rel_tol=1e-12))
for line in report["thresholds"] + [report["best_f1"]]:
    rows = [y for x, y in zip(p, given) if x >= line["threshold"]]
    f1 = 2 * sum(rows) / (len(rows) + sum(given))
    precision = sum(rows) / len(rows) if rows else None
    if (precision, sum(rows) / sum(given), f1, len(rows) / len(p)) != tuple(
            line[name] for name in ("precision", "recall", "f1", "flagged")):
        print("differs:", line)
print(max(2 * sum(r) / (len(r) + sum(given)) for r in flagged) == report["best_f1"]["f1"])
END
