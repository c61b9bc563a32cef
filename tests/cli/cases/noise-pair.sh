#!/usr/bin/env bash
# Each class becomes the next one, or what the map says.
for i in $(seq 12); do echo "$i,$(((i + 1) % 2)),k$((i % 3))"; done >data.csv
$TEMPER noise -q data.csv --kind pair --rate 0.5 -o next.csv
cat next.csv.changes.csv
$TEMPER noise -q data.csv --kind pair --map k0=k2 --rate 0.25 -o map.csv
cat map.csv.changes.csv
temper_exit noise -q data.csv --kind pair --map k0=k9 --rate 0.25 -o no.csv
temper_exit noise -q data.csv --kind pair --map k0=k2 --rate 0.9 -o no.csv
ls
