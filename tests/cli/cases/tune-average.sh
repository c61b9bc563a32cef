#!/usr/bin/env bash
# The mean of several settings is an ordinary model; of one setting it is that model.
small=(--folds 3 --grid "t1=0.5,1 t2=1 l2=0.1x,1x")
$TEMPER tune -q "$CLI_TESTS/data/three.csv" -m mean "${small[@]}" --average | grep -E "^averaged" | sed 's/[0-9][0-9]* setting/N setting/'
$TEMPER eval -q -m mean "$CLI_TESTS/data/three.csv" --json | grep -c '"accuracy'
$TEMPER tune -q "$CLI_TESTS/data/three.csv" -m one --folds 3 --grid "only t1=0.5 t2=1 l2=1x" --average --json | grep averaged
$TEMPER tune -q "$CLI_TESTS/data/three.csv" -m alone --folds 3 --grid "only t1=0.5 t2=1 l2=1x" --json | grep averaged
cmp one alone && echo the same bytes
