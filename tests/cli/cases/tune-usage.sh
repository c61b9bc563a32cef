#!/usr/bin/env bash
# What is out of range, what goes together badly, what is missing.
cp "$CLI_TESTS/data/two.csv" .
echo "a,1" >one.csv
try() { temper_exit tune -q two.csv "$@"; }
try --grid "t1=2 t2=0.5"
try --grid "t1=a"
try --grid "t1=0.5,"
try --grid ""
try --folds 1
try --folds 100
try --criterion best
try --assume random
try --ask 0
try --ask-output asked.csv
try --trusted missing.csv
try --trusted one.csv
try --t1 0.5
try -m -
try -m two.csv
try --report two.csv
try --checkpoint two.csv
try --checkpoint state -m state
temper_exit tune -q one.csv --header no
temper_exit tune - <two.csv
temper_exit train -q two.csv --t1 auto --loss logistic
temper_exit train -q two.csv --t2 auto --valid two.csv
temper_exit train -q two.csv --t1 automatic
ls
