#!/usr/bin/env bash
# Penalties of absolute weights: exact zeros in the model, the report, tuning, and what is refused.
need python3
python3 - >wide.csv <<'END'
import random
random.seed(5)
print(",".join(f"f{j}" for j in range(12)) + ",y")
for i in range(200):
    x = [random.gauss(0, 1) for j in range(12)]
    print(*(f"{v:.5f}" for v in x), "yes" if x[0] - x[1] + 0.5 * random.gauss(0, 1) > 0 else "no", sep=",")
END
$TEMPER train -q wide.csv -m sparse.temper --l1 0.05 --loss logistic | grep -E '^(l2|l1|weights|objective)'
grep -o '"l1": [0-9.]*' sparse.temper
$TEMPER info sparse.temper | grep -E '^l1'
$TEMPER train -q --json wide.csv -m net.temper --l1 0.05 --l2 0.1 --loss logistic >report
python3 - <<'END'
import json
report, model = json.load(open("report")), json.load(open("net.temper"))
print(report["l1"], report["l2"], report["nonzero"], report["nonzero_features"], report["solver"], report["stop"])
print(sum(w != 0 for w in model["weights"]), model["l1"], model["l2"])
END
echo "-- an empty model"
$TEMPER train -q wide.csv -m empty.temper --l1 9 | grep -E '^weights'
echo "-- tuning"
$TEMPER tune -q --json wide.csv -m tuned.temper --grid "only loss=logistic l1=1e-3..0.3:4" >tuned
python3 - <<'END'
import json
report = json.load(open("tuned"))
print([(round(c["l1"], 5), c["l2"]) for c in report["table"]])
print(report["best"]["l1"] == json.load(open("tuned.temper"))["l1"], report["best"]["loss"])
END
echo "-- refused"
for words in "--l1 -1" "--l1 0.1 --loss hinge" "--l1 0.1 --solver newton" "--solver owlqn"; do
    # shellcheck disable=SC2086 # words
    $TEMPER train -q wide.csv -m none.temper $words
    echo "exit $?"
done 2>&1
$TEMPER tune -q wide.csv -m none.temper --grid "l1=0.1 loss=hinge" 2>&1
echo "exit $?"
[ -e none.temper ] || echo "no model is left"
