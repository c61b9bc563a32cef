#!/usr/bin/env bash
# A label a line, with or without a label column, in any order of named columns, from any place.
data=$CLI_TESTS/data/two.csv
train_on two.csv model.temper
$TEMPER predict -q -m model.temper "$data" >labels
sort labels | uniq -c | awk '{ print $2 }'
wc -l <labels
$TEMPER predict -q -m model.temper "$data" -o file && cmp labels file && echo "a file"
$TEMPER predict -q -m model.temper - <"$data" | cmp - labels && echo "a pipe"
gzip -c "$data" | $TEMPER predict -q -m model.temper - | cmp - labels && echo "compressed"
cut -d, -f1-3 "$data" >bare.csv
$TEMPER predict -q -m model.temper bare.csv | cmp - labels && echo "no labels"
awk -F, '{ print $3 "," $1 "," $2 }' "$data" >other.csv
$TEMPER predict -q -m model.temper other.csv | cmp - labels && echo "another order"
train_on sparse.svm sparse.temper
sed 's/^[^ ]* //' "$CLI_TESTS/data/sparse.svm" >bare.svm
$TEMPER predict -q -m sparse.temper "$CLI_TESTS/data/sparse.svm" >labels
$TEMPER predict -q -m sparse.temper bare.svm | cmp - labels && echo "no labels"
