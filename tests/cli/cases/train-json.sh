#!/usr/bin/env bash
# One object, with fixed names.
need python3
$TEMPER train -q --json "$CLI_TESTS/data/three.csv" -m three.temper --t1 0.5 --t2 1.5 >report
python3 - <<'END'
import json
report = json.load(open("report"))
print(*report)
print(*(report[key] for key in ("rows", "features", "classes", "loss", "t1", "t2", "stop", "model")))
print(*report["seconds"], all(value >= 0 for value in report["seconds"].values()))
print(0.8 < report["accuracy"] < 1, report["gradient_norm"] <= 1e-4, report["warnings"])
END
$TEMPER train -q --json "$CLI_TESTS/data/two.csv" -m two.temper --loss hinge |
    python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["loss"], r["t1"], r["t2"])'
