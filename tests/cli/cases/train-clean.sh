#!/usr/bin/env bash
# An audit before the training: planted mistakes are dropped, weighed or relabelled, and the report says how many.
awk 'BEGIN { for (i = 0; i < 600; i++) {
    k = i % 2; y = i % 10 == 4 || i % 10 == 7 ? 1 - k : k
    print i * 37 % 101 / 64 + 2 * k "," i * 53 % 97 / 64 - k "," (y ? "on" : "off") } }' >data.csv
for how in drop weigh relabel; do
    $TEMPER train -q data.csv -m model --clean $how --json >json 2>/dev/null
    awk -F '[:,{}" ]+' -v how=$how '/"clean":/ { print how, ($6 > 80 && $6 < 160) ? "about a fifth" : $6 }' json
    grep -o '"how": "[a-z]*"' json
    $TEMPER train -q data.csv -m model --clean $how 2>/dev/null | grep cleaned | sed 's/[0-9,]* of/N of/; s/about [0-9]*/about N/'
done
# The model is an ordinary one.
$TEMPER predict -q -m model data.csv 2>/dev/null | sort | uniq -c | wc -l
$TEMPER train -q data.csv -m model --json 2>/dev/null | grep clean
$TEMPER train -q data.csv -m model --clean drop --t1 auto --t2 auto 2>/dev/null | grep -c cleaned
temper_exit train data.csv --clean burn
head -n 6 data.csv >few.csv
temper_exit train -q few.csv --clean drop
