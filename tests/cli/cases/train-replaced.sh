#!/usr/bin/env bash
# A model that was there before: the report says that it is replaced.
for i in $(seq 40); do echo "$i,$((i * 7 % 11)),$((i % 3 > 0))"; done >data.csv
for command in train tune; do
    rm -f data.csv.temper
    for run in first second; do
        echo "$command, $run"
        $TEMPER $command -q data.csv 2>/dev/null | grep '^model'
    done
    $TEMPER $command -q --json data.csv 2>/dev/null | grep replaced
    rm data.csv.temper
    $TEMPER $command -q --json data.csv 2>/dev/null | grep replaced
done
