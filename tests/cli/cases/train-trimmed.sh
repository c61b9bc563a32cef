#!/usr/bin/env bash
# Trimmed logistic regression: trained, in reports and files, evaluated, tuned; what is refused.
need python3
data=$CLI_TESTS/data
$TEMPER train -q --json "$data/three.csv" -m three.temper --loss trimmed:0.1 |
    python3 -c 'import json, sys
r = json.load(sys.stdin)
print(*(r[key] for key in ("loss", "t1", "t2", "trim", "stop")), r["accuracy"] > 0.8)'
grep '"method"\|"parameters"' three.temper
$TEMPER train -q "$data/topics.svm" -m topics.temper --loss trimmed | grep loss
$TEMPER train -q "$data/topics.svm" -m again.temper --loss trimmed --threads 2 >/dev/null
cmp topics.temper again.temper && echo the same
$TEMPER eval -q -m three.temper "$data/three.csv" --json | python3 -c 'import json, sys
r = json.load(sys.stdin); print(r["accuracy"] > 0.8, r["log_loss"] < 1)'
$TEMPER tune -q --json "$data/two.csv" -m tuned.temper --folds 2 --grid "only loss=trimmed:0.1,trimmed:0.3 l2=1x" |
    python3 -c 'import json, sys
print(*((row["loss"], row["trim"]) for row in json.load(sys.stdin)["table"]))'
temper_exit train -q "$data/two.csv" -m no.temper --loss trimmed:1
temper_exit train -q "$data/two.csv" -m no.temper --loss trimmed --starts 2
temper_exit train -q "$data/two.csv" -m no.temper --loss trimmed --checkpoint state
temper_exit plot losses --losses trimmed -o losses.svg
