#!/usr/bin/env bash
# Votes of four annotators of different care for 60 items, the items' features, and probabilities of a model.
python3 - <<'PYTHON'
import random

draw = random.Random(1)
truth = [draw.choice(["cat", "dog"]) for _ in range(60)]
other = {"cat": "dog", "dog": "cat"}
with open("votes.csv", "w") as out:
    out.write("name,worker,label\n")
    for item, label in enumerate(truth):
        for worker, accuracy in [("ann", 0.95), ("ben", 0.9), ("cid", 0.8), ("dan", 0.6)]:
            out.write(f"i{item},{worker},{label if draw.random() < accuracy else other[label]}\n")
with open("data.csv", "w") as out:
    out.write("name,length,weight\n")
    for item, label in enumerate(truth):
        out.write(f"i{item},{draw.gauss(40 if label == 'dog' else 30, 4):.2f},{draw.gauss(9 if label == 'dog' else 4, 2):.2f}\n")
with open("network.csv", "w") as out:
    out.write("name,cat,dog\n")
    for item, label in enumerate(truth):
        p = min(0.98, max(0.02, draw.gauss(0.8 if label == "cat" else 0.2, 0.1)))
        out.write(f"i{item},{p:.4f},{1 - p:.4f}\n")
PYTHON
