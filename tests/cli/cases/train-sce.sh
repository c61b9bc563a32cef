#!/usr/bin/env bash
# Symmetric cross-entropy: trained, in reports and files, tuned, applied, exported; what is refused.
need python3
data=$CLI_TESTS/data
$TEMPER train -q --json "$data/three.csv" -m three.temper --calibrate none --loss sce:0.5:2:-6 |
    python3 -c 'import json, sys
r = json.load(sys.stdin)
print(*(r[key] for key in ("loss", "t1", "t2", "smoothing", "alpha", "beta", "log_zero", "stop")))'
grep -A2 '"method"\|"parameters"' three.temper
$TEMPER train -q "$data/two.csv" -m two.temper --loss sce | grep loss
$TEMPER eval -q -m two.temper "$data/two.csv" --json | python3 -c 'import json, sys
r = json.load(sys.stdin); print(r["accuracy"] > 0.8, r["log_loss"] > 0)'
# Without a calibration the probabilities are those of the softmax.
$TEMPER predict -q -m three.temper "$data/three.csv" --proba >proba
$TEMPER predict -q -m three.temper "$data/three.csv" --raw-proba | cmp - proba && echo the same
$TEMPER convert -q three.temper three.c && grep -c "three_probabilities(" three.c
$TEMPER tune -q --json "$data/two.csv" -m tuned.temper --folds 2 --grid "only loss=sce,sce:1:1:-4,logistic l2=1x" |
    python3 -c 'import json, sys
print(*((row["loss"], row.get("alpha")) for row in json.load(sys.stdin)["table"]))'
temper_exit train -q "$data/two.csv" -m no.temper --loss sce:1
temper_exit train -q "$data/two.csv" -m no.temper --loss sce:1:1:4
temper_exit train -q "$data/two.csv" -m no.temper --loss sce:0:0:-4
temper_exit train -q "$data/two.csv" -m no.temper --loss sce --t1 0.5
temper_exit train -q "$data/two.csv" -m no.temper --loss gce:0.5 --t1 0.4
