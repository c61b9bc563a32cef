#!/usr/bin/env bash
# A table, the decisions of a review page, and probabilities of another model in three formats, with its embeddings.
table=$ROOT/tests/docs/prepare/table
"$table" crowd.csv 300 1
printf 'row,line,given,decision,label\n3,4,%s,right,\n' "$(sed -n 4p crowd.csv | cut -d, -f6)" >corrections.csv
cut -d, -f3,4,6 crowd.csv >data.csv
cut -d, -f6 crowd.csv >labels.csv
temper train data.csv -m other.temper --calibrate none
temper predict -m other.temper data.csv --proba -o p.csv
cp p.csv p.tsv # the separator of --proba is a tab
python3 - <<'PYTHON'
import array, csv

def save(path, table):
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(table)}, {len(table[0])})}}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode())
        out.write(array.array("d", [float(cell) for row in table for cell in row]).tobytes())

save("p.npy", list(csv.reader(open("p.csv"), delimiter="\t"))[1:])
save("embeddings.npy", [row[:2] for row in list(csv.reader(open("data.csv")))[1:]])
PYTHON
