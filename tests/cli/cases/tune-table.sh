#!/usr/bin/env bash
# A small grid of two and of three classes, dense and sparse: a table, a choice, a model that applies.
small=(--folds 3 --grid "t1=0.5 t2=1 l2=0.1x,10x")
cp "$CLI_TESTS"/data/{two.csv,three.csv,sparse.svm} .
for data in two.csv three.csv sparse.svm; do
    $TEMPER tune -q $data "${small[@]}" >table
    head -n 6 table
    grep -A 4 "^The line with" table
    grep -cE '^[* ] tempered +[0-9.]+ +[0-9.]+ +[0-9.e-]+ +[0-9.]+ \+- [0-9.]+ +[0-9.]+ +[0-9.]+$' table
    grep -c '^\*' table
    grep -E '^(choice|decided by|over logistic|stop|model)' table | cut -c 1-20
    $TEMPER eval -m $data.temper $data -q --json | grep -c '"accuracy'
done
ls
