#!/usr/bin/env bash
# What was written, for a program.
printf '1,2,a\n3,4,b\n' >data.csv
$TEMPER convert -q --json data.csv out.tmpr | sed -E 's/(read|write)": [0-9.e-]+/\1": T/g'
