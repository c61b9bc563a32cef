#!/usr/bin/env bash
# JSON is JSON; names that need escapes have them.
printf 'task,worker,label\n"a ""1""",x,1\n"a ""1""",y,1\nb,x,0\nb,y,1\nb,z,0\n' >votes.csv
$TEMPER annotators votes.csv -q --again 1 --json >out.json
python3 - <<'END'
import json
found = json.load(open("out.json"))
print(found["votes"], found["classes"], found["again"], found["method"])
print([(one["annotator"], one["labels"], one["flag"]) for one in found["annotators"]])
print([(one["item"], one["label"], one["votes"]) for one in found["items"]])
print([round(sum(row), 9) for one in found["annotators"] for row in one["confusion"]])
END
