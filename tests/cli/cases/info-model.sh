#!/usr/bin/env bash
# A model is recognised by its content, whatever its name is.
need python3
train_on three.csv model.csv --loss gce --l2 0.01
$TEMPER info model.csv | sed -E -e 's/(norm|gradient) [0-9.e-]+/\1 N/' -e 's/after [0-9]+ iter/after N iter/' | steady
$TEMPER info --json model.csv |
    python3 -c 'import json, sys; r = json.load(sys.stdin); print(*r); print(r["class_names"], r["t1"], r["rows"])'
$TEMPER info --format csv -q model.csv >/dev/null 2>&1
echo "exit $?"
head -n 5 model.csv >cut.csv
temper_exit info cut.csv
