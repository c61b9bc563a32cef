#!/usr/bin/env bash
# What cannot be read, and what cannot be learnt from: an old model stays.
echo old >old.temper
printf '1,2\n3,4\n' >numbers.csv
printf '1,a\n2,a\n' >one.csv
printf '1,nan,a\n2,3,b\n' >bad.csv
cp "$CLI_TESTS/data/two.csv" .
try() { temper_exit train -q "$@" -m old.temper; }
try nowhere.csv
try --label none numbers.csv
try one.csv
try --strict bad.csv
try two.csv --classes cat
try two.csv --valid nowhere.csv
try two.csv --warm-start nowhere.temper
try two.csv --warm-start two.csv
cat old.temper
ls
