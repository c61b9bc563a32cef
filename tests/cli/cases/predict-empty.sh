#!/usr/bin/env bash
# No rows in, no lines out; a table has its header.
train_on two.csv model.temper
head -n 1 "$CLI_TESTS/data/two.csv" >header.csv
: >empty.csv
printf '\n\n' >blank.csv
for file in header.csv empty.csv blank.csv; do
    temper_exit predict -q -m model.temper $file
    temper_exit predict -q -m model.temper $file --output jsonl
    temper_exit predict -q -m model.temper $file --keep width,kind
    temper_exit predict -q -m model.temper - <$file
done
temper_exit predict -q -m model.temper header.csv --proba
temper_exit predict -q -m model.temper header.csv --json -o none.txt | steady
wc -c none.txt
train_on sparse.svm sparse.temper
echo '# nothing' >comment.svm
temper_exit predict -q -m sparse.temper comment.svm
# There is nothing to measure on them.
temper_exit eval -q -m model.temper header.csv
