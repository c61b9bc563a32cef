#!/usr/bin/env bash
# Several starts, random ones and warm ones.
train_on three.csv plain.temper
train_on three.csv starts.temper --starts 3 && echo "three starts"
train_on three.csv normal.temper --init normal:0.001 --seed 7
train_on three.csv again.temper --init normal:0.001 --seed 7
cmp normal.temper again.temper && echo "the same seed, the same model"
$TEMPER train -q --json "$CLI_TESTS/data/three.csv" -m warm.temper --warm-start plain.temper |
    grep -E '"(stop|iterations)"'
