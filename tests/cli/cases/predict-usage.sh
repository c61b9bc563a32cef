#!/usr/bin/env bash
# What is missing, what goes together badly, and what a model does not have.
data=$CLI_TESTS/data/two.csv
train_on two.csv model.temper
train_on two.csv hinge.temper --loss hinge --calibrate none
train_on two.csv zero.temper --t1 0 --calibrate none
try() { temper_exit predict -q "$@"; }
try "$data"
try -m model.temper
try -m model.temper ''
try -m model.temper "$data" --proba --decision
try -m model.temper "$data" --json
try -m - - </dev/null
try -m hinge.temper "$data" --proba
try -m hinge.temper "$data" --raw-proba
try -m zero.temper "$data" --proba
try -m model.temper "$data" --proba-of true
try -m model.temper "$data" --proba-of true --decision
try -m model.temper "$data" --classes cat
$TEMPER predict -q -m zero.temper "$data" --raw-proba | wc -l
$TEMPER predict -q -m hinge.temper "$data" --decision | wc -l
