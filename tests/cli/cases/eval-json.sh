#!/usr/bin/env bash
# One object, with fixed names, that agrees with what predict says.
need python3
data=$CLI_TESTS/data/three.csv
train_on three.csv model.temper
$TEMPER eval -q --json -m model.temper "$data" >report
$TEMPER predict -q -m model.temper "$data" >labels
$TEMPER predict -q -m model.temper "$data" --proba >proba
python3 - "$data" <<'END'
import json, math, sys
report = json.load(open("report"))
print(*report)
given = [line.rstrip("\n").split(",")[-1] for line in open(sys.argv[1])]
said = open("labels").read().split()
right = sum(a == b for a, b in zip(given, said))
print(report["rows"], report["unknown"], report["classes"])
print(math.isclose(report["accuracy"], right / len(given)))
print(sum(map(sum, report["confusion"])), sum(row[i] for i, row in enumerate(report["confusion"])) == right)
head, *rows = [line.rstrip("\n").split("\t") for line in open("proba")]
p = [[float(cell) for cell in row] for row in rows]
c = [head.index(name) for name in given]
log_loss = -sum(math.log(row[k]) for row, k in zip(p, c)) / len(p)
brier = sum((x - (i == k)) ** 2 for row, k in zip(p, c) for i, x in enumerate(row)) / len(p)
print(math.isclose(report["log_loss"], log_loss, rel_tol=1e-9), math.isclose(report["brier"], brier, rel_tol=1e-9))
print(0 <= report["ece"] <= 1, 0 <= report["balanced_accuracy"] <= 1, report["loss"] > 0)
END
