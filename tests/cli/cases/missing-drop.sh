#!/usr/bin/env bash
# Rows that --missing drop leaves out are counted, wherever a number of rows is reported.
{
    echo x,y,label
    for i in {1..40}; do
        echo "$((i % 7)),$((i % 20 == 3 ? 0 : i)),$((i % 2))"
        ((i % 10)) || echo "$i,,1"
    done
} >rows.csv
for command in info 'train -m model' 'tune -m model' audit 'eval -m model'; do
    # shellcheck disable=SC2086 # words
    $TEMPER $command -q rows.csv --missing drop | grep -e '^rows' -e '^missing'
done
$TEMPER predict -q -m model rows.csv --missing drop -o said --json | grep rows
wc -l <said
$TEMPER info rows.csv --missing drop 2>&1 | grep 'note.*drop'
for command in 'train -m model' 'tune -m model' 'eval -m model'; do
    # shellcheck disable=SC2086 # words
    $TEMPER $command -q rows.csv --missing drop --json | grep '_rows'
done
