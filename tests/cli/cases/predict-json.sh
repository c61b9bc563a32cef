#!/usr/bin/env bash
# With a file for the predictions the standard output is free.
train_on three.csv model.temper
$TEMPER predict -q -m model.temper "$CLI_TESTS/data/three.csv" -o labels --json | steady
wc -l <labels
