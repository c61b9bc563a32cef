#!/usr/bin/env bash
# The noise of the labels is kept in the model, printed, and refused before the training where no audit is possible.
need python3
python3 - >noisy.csv <<'PY'
import random
random.seed(3)
print("a,b,label")
for i in range(240):
    a, b = random.gauss(0, 1), random.gauss(0, 1)
    label = (a + b > 0) != (i % 10 == 0)
    print(f"{a:.3f},{b:.3f},{'yes' if label else 'no'}")
PY
$TEMPER train -q noisy.csv -m one.temper --estimate-noise | grep -A 1 '^probabilities'
$TEMPER tune -q noisy.csv -m two.temper --grid "t1=0.3 t2=1 l2=1x only" --folds 3 --estimate-noise | grep -A 1 '^probabilities'
$TEMPER info one.temper | grep -A 1 '^probabilities'
$TEMPER info --json one.temper |
    python3 -c 'import json, sys; r = json.load(sys.stdin); print(sorted(r["calibration"]), 0.05 < r["noise_rate"] < 0.15)'
$TEMPER predict -q noisy.csv -m one.temper --proba-of true | head -n 1
$TEMPER train -q noisy.csv -m three.temper --t1 auto --t2 1 --estimate-noise | grep -c '^label noise'
$TEMPER predict -q noisy.csv -m three.temper --proba-of true | head -n 1
temper_exit train noisy.csv -m none.temper --loss hinge --estimate-noise
temper_exit tune noisy.csv -m none.temper --grid "loss=tempered,hinge t1=0.3 t2=1 l2=1x only" --estimate-noise
ls none.temper* 2>/dev/null
true
