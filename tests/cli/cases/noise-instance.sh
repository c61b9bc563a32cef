#!/usr/bin/env bash
# Rows that show something else: features of another class, or of a pool.
for i in $(seq 8); do echo "$i,0,k$((i % 2))"; done >data.csv
for i in $(seq 100 103); do echo "$i,1,other"; done >pool.csv
$TEMPER noise -q data.csv --header no --kind instance --rate 0.25 -o noisy.csv
cat noisy.csv.changes.csv noisy.csv
$TEMPER noise -q data.csv --header no --kind instance --rate 0.25 --pool pool.csv -o pooled.csv
cat pooled.csv.changes.csv pooled.csv
