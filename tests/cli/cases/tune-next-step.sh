#!/usr/bin/env bash
# Labels that follow a rule make the choice unsure: the output ends with the command that asks for true ones.
need python3
python3 - <<'END'
import random
random.seed(1)
rows = []
for i in range(400):
    x = [random.gauss(0, 1) for _ in range(4)]
    label = x[0] + x[1] > 0
    if x[0] + x[1] > 1.5:
        label = not label  # the clearest rows of one class are wrong
    rows.append(",".join(f"{value:.4f}" for value in x) + (",yes" if label else ",no"))
open("odd labels.csv", "w").write("\n".join(rows) + "\n")
END
small=(--folds 3 --grid "t1=0.1,1 t2=1,1.4 l2=0.1x,1x")
$TEMPER tune -q "odd labels.csv" -m model "${small[@]}" --report page.html >table 2>warnings
sed -n '/^The choice is unsure/,$p' table
grep -c "Next step" page.html
$TEMPER tune -q "odd labels.csv" -m model "${small[@]}" --json 2>warnings | sed -n '/"next_step"/p'
echo --- the command runs as it is printed
command=$(sed -n 's/^  temper tune/tune/p' table)
eval "$TEMPER $command -q" 2>warnings | grep -E "^(to label|The choice)" | sed 's/[0-9]* rows/N rows/'
echo --- sure
$TEMPER tune -q "$CLI_TESTS/data/two.csv" -m model --folds 3 --grid "only t1=1 t2=1 l2=1x" --json | grep next_step
$TEMPER tune -q "$CLI_TESTS/data/two.csv" -m model --folds 3 --grid "only t1=1 t2=1 l2=1x" | tail -n 1
