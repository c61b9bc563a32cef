#!/usr/bin/env bash
# Forward correction: trained, in reports and files, evaluated by its own loss, tuned; what is refused.
need python3
data=$CLI_TESTS/data
$TEMPER train -q --json "$data/three.csv" -m three.temper --loss forward --l2 0.001 |
    python3 -c 'import json, sys
r = json.load(sys.stdin)
print(*(r[key] for key in ("loss", "t1", "t2", "stop")), r["accuracy"] > 0.8)'
python3 - <<'END'
import json
rows = json.load(open("three.temper"))["correction"]
print(len(rows), all(abs(sum(row) - 1) < 1e-12 for row in rows), all(0 < x < 1 for row in rows for x in row))
END
$TEMPER train -q "$data/two.csv" -m two.temper --loss forward | grep loss
$TEMPER eval -q -m two.temper "$data/two.csv" --json | python3 -c 'import json, sys
r = json.load(sys.stdin); print(r["accuracy"] > 0.8, r["loss"] > 0)'
sed 's/"correction"/"corrections"/' three.temper >changed.temper
temper_exit eval -q -m changed.temper "$data/three.csv" 2>&1 | grep -o "the checksum is not that of the content\|^exit .*"
$TEMPER tune -q --json "$data/two.csv" -m tuned.temper --folds 2 --grid "only loss=forward,logistic l2=1x" |
    python3 -c 'import json, sys
print(*(row["loss"] for row in json.load(sys.stdin)["table"]))'
temper_exit train -q "$data/two.csv" -m no.temper --loss forward:1
temper_exit train -q "$data/two.csv" -m no.temper --loss forward --starts 2
temper_exit plot losses --losses forward -o losses.svg
