#!/usr/bin/env bash
# The number of threads changes nothing in the report.
seq 30000 | awk '{ print $1 "," $1 % 7 ",k" $1 % 3 }' >data.csv
$TEMPER info -q --threads 1 data.csv >one
$TEMPER info -q --threads 5 data.csv >five
cmp one five && cat one
