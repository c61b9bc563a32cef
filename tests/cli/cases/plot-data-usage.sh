#!/usr/bin/env bash
# What a picture of data needs, and what means nothing to it.
data=$CLI_TESTS/data/two.csv
temper_exit plot path
temper_exit plot report
temper_exit plot report "$data"
temper_exit plot path ''
temper_exit plot report -m x ''
temper_exit plot path no-such-file.csv
temper_exit plot path "$data" --panels c
temper_exit plot path "$data" -m model.temper
temper_exit plot report "$data" --steps 3
temper_exit plot losses --label kind
temper_exit plot path "$data" --steps 1
temper_exit plot path "$data" --l2 1,0.1
temper_exit plot path "$data" --l2 0,1
temper_exit plot path "$data" --loss logistic --t1 0.5
temper_exit plot path "$data" --t1 1 --t2 0.5
temper_exit plot path -q "$data" --label none --ignore kind
temper_exit plot path "$data" one-more
