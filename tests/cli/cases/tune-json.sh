#!/usr/bin/env bash
# One object; the table has every candidate.
need python3
$TEMPER tune -q "$CLI_TESTS/data/two.csv" -m model --json --folds 4 --ask 3 --grid "t1=0.5 t2=1 l2=1x" >found.json
python3 - <<'END'
import json
found = json.load(open("found.json"))
print(sorted(found))
print([(c["t1"], c["t2"], c["stage"]) for c in found["table"]])
print(sorted(found["table"][0]))
best = found["best"]
print(sorted(best), best["score"] == found["table"][best["number"]]["accuracy"])
print(found["rows"], found["folds"], found["resumed"], 0 < len(found["ask"]) <= 3)
END
# The width of the hinge is one of its members, as in the report of a training.
$TEMPER tune -q "$CLI_TESTS/data/two.csv" -m model --json --folds 3 --grid "loss=hinge:0.5 l2=1x only" |
    grep -o '"loss": "hinge", "t1": null, "t2": null, "smoothing": 0.5'
