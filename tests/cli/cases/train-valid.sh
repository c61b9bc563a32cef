#!/usr/bin/env bash
# A stop in time: rows of the same classes in another order.
head -n 60 "$CLI_TESTS/data/three.csv" >fit.csv
tail -n 30 "$CLI_TESTS/data/three.csv" | tac >valid.csv
$TEMPER train -q --json fit.csv -m model.temper --valid valid.csv --patience 3 |
    grep -E '"validation":|"stop"' | steady
