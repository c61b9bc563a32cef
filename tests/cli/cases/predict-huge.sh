#!/usr/bin/env bash
# Rows near the largest double, whose activations overflow or cancel: probabilities are numbers.
train_on three.csv huge.temper
columns=$($TEMPER info huge.temper --json | sed -n 's/.*"features": \([0-9]*\).*/\1/p')
for value in 1.7e308 -1.7e308; do
    awk -v value=$value -v columns="$columns" 'BEGIN {
            for (j = 1; j <= columns; j++)
                printf "%s%s", (j % 2 ? "" : "-") value, j < columns ? "," : "\n"
        }' | sed 's/--//g'
done >huge.csv
$TEMPER predict -q -m huge.temper huge.csv --header no --type f64 --proba | awk 'NR > 1 { print $1 + $2 + $3 }'
