#!/usr/bin/env bash
# Numbers that read back: probabilities sum to 1 and have the label at their top, as decisions do.
need python3
for name in two.csv three.csv; do
    train_on $name model.temper
    for option in --proba --raw-proba --decision; do
        $TEMPER predict -q -m model.temper "$CLI_TESTS/data/$name" $option >"out$option"
    done
    $TEMPER predict -q -m model.temper "$CLI_TESTS/data/$name" >labels
    python3 - <<'END'
labels = open("labels").read().split()
for option in ("--proba", "--raw-proba"):
    head, *rows = [line.rstrip("\n").split("\t") for line in open("out" + option)]
    numbers = [[float(cell) for cell in row] for row in rows]
    top = [head[row.index(max(row))] for row in numbers]
    print(option, *head, len(rows), top == labels, all(abs(sum(row) - 1) < 1e-12 for row in numbers))
rows = [[float(cell) for cell in line.split("\t")] for line in open("out--decision")]
top = [head[row[0] > 0] if len(row) == 1 else head[row.index(max(row))] for row in rows]
print("--decision", len(rows), {len(row) for row in rows}, top == labels)
END
done
