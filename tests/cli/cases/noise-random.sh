#!/usr/bin/env bash
# Exactly so many labels change, and the record says which.
for i in $(seq 20); do echo "$i,$((i % 2)),k$((i % 4))"; done >data.csv
$TEMPER noise -q data.csv --rate 0.25 --seed 3 -o noisy.csv
cat noisy.csv.changes.csv
join -t : <(grep -n k data.csv | sort -t : -k 1,1) <(grep -n k noisy.csv | sort -t : -k 1,1) | sort -n |
    awk -F: '$2 != $3 { print "row " $1 ": " $2 " became " $3 }'
$TEMPER noise -q data.csv --rate 0.25 --seed 3 -o again.csv --json
cmp noisy.csv again.csv && ls
