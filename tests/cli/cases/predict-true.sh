#!/usr/bin/env bash
# Probabilities of the true label: distributions, and surer than those of the given one.
need python3
data=$CLI_TESTS/data/three.csv
train_on three.csv model.temper --estimate-noise
$TEMPER predict -q -m model.temper "$data" --proba --proba-of given >given.tsv
$TEMPER predict -q -m model.temper "$data" --proba | cmp - given.tsv
$TEMPER predict -q -m model.temper "$data" --proba-of true >true.tsv
python3 - <<'END'
def rows(path):
    lines = open(path).read().splitlines()
    return lines[0].split("\t"), [[float(cell) for cell in line.split("\t")] for line in lines[1:]]
names, given = rows("given.tsv")
same, true = rows("true.tsv")
print(names == same, len(given), len(true), all(abs(sum(row) - 1) < 1e-12 for row in true))
print(sum(map(max, true)) > sum(map(max, given)))
print(all(a.index(max(a)) == b.index(max(b)) for a, b in zip(given, true)))
END
