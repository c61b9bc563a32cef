#!/usr/bin/env bash
# With --classes, rows are still counted as the file has them, from 1, and the others stay in the
# data put right.
LC_ALL=C awk 'BEGIN { for (i = 0; i < 450; i++) {
    k = i % 3; y = i % 50 == 0 && k < 2 ? 1 - k : k
    print i * 37 % 101 / 64 + 2 * k "," i * 53 % 97 / 64 - k "," y } }' >data.csv
$TEMPER convert -q data.csv data.npy
$TEMPER audit -q --t1 0.3 --classes 0,1 --top 6 data.npy -o npy.csv --json --report page.html |
    grep -o '"row": [0-9]*' | sort -k 2 -n
cut -d, -f1,2 npy.csv | sort -n
grep -o '^{"r":[0-9]*' page.html | sort -t : -k 2 -n
$TEMPER audit -q --t1 0.3 --classes 0,1 --top 6 data.csv -o csv.csv --fix out.csv >/dev/null
cut -d, -f1,2 csv.csv | sort -n
wc -l <out.csv
$TEMPER audit -q --t1 0.3 --classes 0,1 --top 6 data.csv --fix out.csv --fix-how weight >/dev/null
grep -c ',2,1$' out.csv
