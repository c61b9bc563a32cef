#!/usr/bin/env bash
# What is out of range, what goes together badly, what is missing.
cp "$CLI_TESTS/data/two.csv" .
try() { temper_exit train two.csv "$@"; }
try --loss logistic --t1 0.5
try --loss logistic --t1 1 --t2 1.5
try --loss t-logistic --t1 0.5
try --loss gce --t2 1.5
try --loss hinge --t1 0.5
try --loss gce --smoothing 1
try --loss logisitc
try --t1 0.5 --t2 0.3
try --t1 1.5 --t2 0.9
try --t1 -1
try --l2 -1
try --l2 nothing
try --solver sgd
try --precision f16
try --scale huge
try --init ones
try --init normal:
try --init normal:-1
try --init normal:0
try --init normal:1 --warm-start model.temper
try --starts 4
try --tol nan
try --max-iter 0
try --seed 1.5
try --patience 5
try --resume
try --checkpoint-seconds 5
try -m -
try -m two.csv
try --checkpoint two.csv
try -m state --checkpoint state
temper_exit train - <two.csv
temper_exit train
temper_exit train ''
temper_exit train two.csv more.csv
ls
