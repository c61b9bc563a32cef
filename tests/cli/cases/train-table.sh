#!/usr/bin/env bash
# What people see; the model goes beside the data.
cp "$CLI_TESTS/data/two.csv" .
$TEMPER train two.csv | steady
ls
$TEMPER train -q "$CLI_TESTS/data/topics.svm" --loss logistic --l2 0.01 -m topics.temper | steady
