#!/usr/bin/env bash
# Features of a common size.
printf '1,10,a\n2,20,b\n3,60,a\n' >data.csv
for scale in none standard minmax maxabs log pixels; do
    echo "$scale:"
    $TEMPER convert -q data.csv - --to csv --scale $scale
done
printf '1 1:2\n-1 2:4\n' >data.svm
$TEMPER convert -q data.svm - --to libsvm --scale maxabs
temper_exit convert -q data.svm - --to libsvm --scale minmax
