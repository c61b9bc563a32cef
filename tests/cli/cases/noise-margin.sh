#!/usr/bin/env bash
# Of the rows that a logistic regression gets right, the least or the most clear ones change, to the
# class that comes next.
for i in $(seq 20); do echo "$i,$((i * 7 % 5)),$([ "$i" -le 10 ] && echo low || echo high)"; done >line.csv
for kind in small-margin large-margin; do
    $TEMPER noise -q --strict line.csv --kind $kind --rate 0.1 -o $kind.csv
    cat $kind.csv.changes.csv
done
$TEMPER noise -q "$CLI_TESTS/data/three.csv" --kind large-margin --rate 0.1 --threads 1 -o one.csv
$TEMPER noise -q "$CLI_TESTS/data/three.csv" --kind large-margin --rate 0.1 --threads 5 -o five.csv
cmp one.csv.changes.csv five.csv.changes.csv && echo "the same"
$TEMPER noise -q "$CLI_TESTS/data/three.csv" --kind small-margin --rate 0.1 --rank-l2 10 -o strong.csv
temper_exit noise line.csv --rate 0.1 --rank-l2 1 -o out.csv
temper_exit noise line.csv --kind small-margin --rate 0.1 --rank-l2 -1 -o out.csv
temper_exit noise -q --strict line.csv --kind small-margin --rate 1 -o out.csv
