#!/usr/bin/env bash
# What cannot be meant is refused before any fit.
cp "$CLI_TESTS/data/three.csv" . && data=three.csv
temper_exit audit "$data" --top 3 --threshold 0.5
temper_exit audit "$data" --fix-how drop
temper_exit audit "$data" --to csv
temper_exit audit "$data" --t1 0.3 --grid paper
temper_exit audit "$data" --kind column
temper_exit audit "$data" --t1 1 --t2 0.5 -q
temper_exit audit "$data" --fix "$data"
temper_exit audit "$data" --fix nameless
temper_exit audit -q "$data" --t1 1 --t2 1 --fix out.csv --fix-how weight --top 1 2>/dev/null | tail -n 1
head -n 1 out.csv | awk -F, '{ print NF }'
temper_exit audit -q "$data" --t1 1 --t2 1 --kind row --fix out.csv --fix-how weight --top 1
