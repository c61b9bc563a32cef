#!/usr/bin/env bash
# Rows of a group stay together; the last rows by time are for testing.
awk 'BEGIN { print "person,day,x,kind"
    for (i = 0; i < 120; i++)
        printf "p%d,2024-%02d-%02d,%d,%s\n", i * 7 % 15, i % 12 + 1, i % 27 + 1, i, i % 3 ? "a" : "b" }' >visits.csv
$TEMPER split visits.csv --group person
comm -12 <(tail -n +2 visits.train.csv | cut -d , -f 1 | sort -u) <(tail -n +2 visits.test.csv | cut -d , -f 1 | sort -u)
$TEMPER split visits.csv --group person --folds 3 -q | grep test
for k in 1 2 3; do
    comm -12 <(cut -d , -f 1 visits.fold$k.train.csv | sort -u) <(cut -d , -f 1 visits.fold$k.test.csv | sort -u)
done
$TEMPER split visits.csv --time day --share 0.25 2>&1
{ tail -n +2 visits.train.csv | cut -d , -f 2 | sort | tail -n 1
  tail -n +2 visits.test.csv | cut -d , -f 2 | sort | head -n 1; } | tr '\n' ' '
echo
# Folds by time: each after a training on all rows before it.
$TEMPER split visits.csv --time x --folds 3 -o t -q
for k in 1 2 3; do echo "$(tail -n 1 t.fold$k.train.csv | cut -d , -f 3) $(sed -n 2p t.fold$k.test.csv | cut -d , -f 3)"; done
# Dates that can be read in two ways.
printf 'd,y\n01/02/2024,a\n03/04/2024,b\n05/06/2024,a\n' >dates.csv
temper_exit split dates.csv --time d --label y
$TEMPER split dates.csv --time d --date dmy --share 0.4 -q | grep test
# What is refused.
temper_exit split visits.csv --time person
temper_exit split visits.csv --time day --group person
temper_exit split visits.csv --group nobody
temper_exit split visits.csv --group kind --folds 3
sed '5s/^[^,]*//' visits.csv >gap.csv
temper_exit split gap.csv --group person
