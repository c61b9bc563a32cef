#!/usr/bin/env bash
# Noise changes labels alone: names, other columns and bytes stay, and a model trained on it is evaluated on the original.
{ echo '"who",x,"kind"' && for i in $(seq 40); do echo "\"p$i\", $((i % 7)).50 ,$([ $((i % 7)) -gt 3 ] && echo high || echo low)"; done; } >data.csv
$TEMPER noise -q data.csv --rate 0.1 --seed 2 -o noisy.csv
diff data.csv noisy.csv | grep -c '^>'
head -n 2 noisy.csv
$TEMPER train -q noisy.csv -m model | grep -e rows -e features
$TEMPER eval -q -m model data.csv | head -n 1
