#!/usr/bin/env bash
# Beyond twenty classes: the pairs that are confused most.
for i in $(seq 0 79); do
    echo "$((i % 40)),$((i % 7)),class$((i % 40 / 2 + i % 2 * (i % 3 > 1)))"
done >data.csv
for i in $(seq 22); do echo "$i,0,extra$i"; done >>data.csv
$TEMPER train -q data.csv -m model.temper --max-iter 5 --solver lbfgs >/dev/null 2>&1
$TEMPER eval -q -m model.temper data.csv | grep -A 2 -E '^Confused' |
    sed -E -e 's/(class|extra)[0-9]+/NAME/g' -e 's/ +/ /g' -e 's/[0-9.]+ %/P/; s/ [0-9]+ P/ N P/'
