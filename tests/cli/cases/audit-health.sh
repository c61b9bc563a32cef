#!/usr/bin/env bash
# The health of a data set: a table, or one more object after the list.
awk 'BEGIN { for (i = 0; i < 300; i++) {
    k = i % 3; y = i % 25 == 3 ? (k + 1) % 3 : k
    print i * 37 % 101 / 64 + 3 * k "," i * 53 % 97 / 64 - k "," substr("abc", y + 1, 1) }
    print "90,-90,a"; print "0.5,0.25,a"; print "0.5,0.25,b" }' >data.csv
$TEMPER audit -q --t1 0.3 --health data.csv 2>/dev/null >table
sed -n '/^label /,$p' table | cut -c 1-27 | head -n 4
grep -A 1 '^duplicates' table
grep -A 1 '^outliers' table
$TEMPER audit -q --t1 0.3 --health --json --top 2 data.csv 2>/dev/null >json
wc -l <json
tail -n 1 json | grep -o '"[a-z_]*": [[{]' | sort | uniq -c
tail -n 1 json | grep -o '"row": 303, "line": 303, "other_row": 302, "other_line": 302, "distance": 0, "across_classes": true'
tail -n 1 json | grep -o '"outliers": {"rows": [0-9]*, "list": \[{"row": 301, "line": 301'
