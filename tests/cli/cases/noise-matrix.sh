#!/usr/bin/env bash
# Labels drawn from a matrix of probabilities.
for i in $(seq 10); do echo "$i,1$i,k$((i % 2))"; done >data.csv
printf '0,1\n0,1\n' >matrix.csv
$TEMPER noise -q data.csv --kind matrix --matrix matrix.csv -o noisy.csv
cat noisy.csv.changes.csv
printf '0.5,0.6\n0,1\n' >wrong.csv
temper_exit noise -q data.csv --kind matrix --matrix wrong.csv -o no.csv
temper_exit noise -q data.csv --kind matrix -o no.csv
temper_exit noise -q data.csv --kind matrix --matrix nowhere.csv -o no.csv
ls
