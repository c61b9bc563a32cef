#!/usr/bin/env bash
# What people see.
train_on three.csv model.temper --tol 1e-8
$TEMPER eval -m model.temper "$CLI_TESTS/data/three.csv" | steady
printf '0,0,0,red\n2.5,0.5,0,green\n1,1,1,purple\n' >purple.csv
$TEMPER eval -q -m model.temper purple.csv | steady
train_on two.csv zero.temper --t1 0 --calibrate none
$TEMPER eval -q -m zero.temper "$CLI_TESTS/data/two.csv" | grep none
