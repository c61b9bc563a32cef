#!/usr/bin/env bash
# Through every format that keeps labels, and back: the same bytes.
printf '0.1,2,a\n-3,0.30000001,b\n5,6,a\n' >start.csv
$TEMPER convert -q start.csv one.tmpr
$TEMPER convert -q one.tmpr two.libsvm
$TEMPER convert -q two.libsvm three.tsv
$TEMPER convert -q three.tsv four.csv.out --to csv
$TEMPER convert -q --header yes --format csv four.csv.out five.tmpr
cat two.libsvm three.tsv four.csv.out
$TEMPER info -q five.tmpr
