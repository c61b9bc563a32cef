#!/usr/bin/env bash
# What is missing, and what cannot be judged.
cp "$CLI_TESTS/data/two.csv" .
data=two.csv
train_on two.csv model.temper
try() { temper_exit eval -q "$@"; }
try "$data"
try -m model.temper
try -m nowhere.temper "$data"
try -m "$data" "$data"
try -m model.temper nowhere.csv
cut -d, -f1-3 "$data" >bare.csv
try -m model.temper bare.csv
try -m model.temper "$data" --proba
[ ! -c /dev/full ] || $TEMPER eval -q -m model.temper "$data" >/dev/full
echo "exit $?"
