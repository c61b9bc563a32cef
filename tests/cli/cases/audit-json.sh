#!/usr/bin/env bash
# One object a line; a threshold; the same bytes for any number of threads.
$TEMPER audit -q --t1 0.3 --json --top 2 --threads 1 "$CLI_TESTS/data/three.csv" >one
$TEMPER audit -q --t1 0.3 --json --top 2 --threads 2 "$CLI_TESTS/data/three.csv" >two
cmp one two && wc -l <one
sed 's/:.*//' one
$TEMPER audit -q --t1 0.3 --json --threshold 1.1 "$CLI_TESTS/data/three.csv"
