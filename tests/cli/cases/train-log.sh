#!/usr/bin/env bash
# A line for each iteration with -v; none without, for there is no terminal.
train_on three.csv three.temper 2>quiet
$TEMPER train "$CLI_TESTS/data/three.csv" -m three.temper -v >/dev/null 2>log
wc -c <quiet
grep -cE '^temper: note: train [0-9]+: objective [0-9.]+, gradient [0-9.e+-]+, accuracy [0-9.]+, [0-9.]+ s$' log |
    awk '{ print ($1 >= 2 ? "a line each" : "too few lines") }'
