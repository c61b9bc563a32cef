#!/usr/bin/env bash
# A page about a model, and its pictures alone; nothing comes from elsewhere.
train_on two.csv two.temper
$TEMPER plot report -q -m two.temper "$CLI_TESTS/data/two.csv" -o report.html
for word in '<!DOCTYPE html>' 'Report on a model' 'trained on rows' 'accuracy' 'Margins' \
    'Calibration' 'Given and predicted classes' 'Strongest weights' 'width'; do
    grep -c -m 1 -- "$word" report.html
done
grep -cE '<script|https?://[^w]|src=|href=' report.html
$TEMPER plot report -q -m two.temper "$CLI_TESTS/data/two.csv" -o report.svg
head -c 4 report.svg && echo
grep -c '<svg' report.svg
$TEMPER plot report -q -m two.temper "$CLI_TESTS/data/two.csv" | cmp - report.html
train_on three.csv three.temper
$TEMPER plot report -q -m three.temper "$CLI_TESTS/data/three.csv" -o three.html
grep -c -m 1 '→' three.html
# Hinge has no probabilities, and so no calibration.
train_on two.csv hinge.temper --loss hinge --calibrate none
$TEMPER plot report -q -m hinge.temper "$CLI_TESTS/data/two.csv" | grep -c 'no calibrated probabilities'
# Rows without labels say nothing about how good a model is.
cut -d , -f 1-3 "$CLI_TESTS/data/two.csv" >bare.csv
temper_exit plot report -q -m two.temper bare.csv --label none -o bare.html
ls
