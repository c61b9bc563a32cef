#!/usr/bin/env bash
# Columns of the input beside the predictions, as CSV and as JSON lines.
train_on two.csv model.temper --calibrate none --loss logistic --tol 1e-8
cat >new.csv <<'END'
id,width,height,age,note
007,0.80,2.36,28.0,"said ""no"", twice"
8é,2.25,0.35,28.1,
"a
b",2.20,0.40,27.5," blank "
END
round() { sed -E 's/(0\.0*[1-9][0-9]{2})[0-9]+/\1/g'; }
$TEMPER predict -q -m model.temper new.csv --keep id,note | round
$TEMPER predict -q -m model.temper - --output csv <new.csv | round
$TEMPER predict -q -m model.temper new.csv --keep id,3 --output jsonl | round
$TEMPER predict -q -m model.temper new.csv --keep all --raw-proba -o all.csv --output csv
head -n 1 all.csv
$TEMPER predict -q -m model.temper new.csv --keep id --decision | head -n 1
$TEMPER predict -q -m model.temper new.csv --decision --output jsonl | cut -c 1-34
$TEMPER predict -q -m model.temper new.csv --output labels
# A word that is no form is a file, as ever.
$TEMPER predict -q -m model.temper new.csv --output file && cat file
# The result reads like any table: it has the texts of the input.
$TEMPER predict -q -m model.temper all.csv | cmp - file
# A table without a header.
train_on three.csv three.temper --calibrate none --loss logistic
$TEMPER predict -q -m three.temper "$CLI_TESTS/data/three.csv" --keep 4 --decision | head -n 2 | cut -d , -f 1,2
# A model without calibrated probabilities gives labels alone, and a note.
train_on two.csv hinge.temper --loss hinge --calibrate none
$TEMPER predict -m hinge.temper new.csv --keep id 2>&1 | grep -v format:
# What does not go together.
temper_exit predict -q -m model.temper new.csv --keep idd
temper_exit predict -q -m model.temper new.csv --keep id --output labels
temper_exit predict -q -m model.temper new.csv --proba --output labels
temper_exit predict -q -m model.temper new.csv --output one -o two
temper_exit predict -q -m model.temper all.csv --keep predicted
sed '1s/note/id/' new.csv >twins.csv
temper_exit predict -q -m model.temper twins.csv --keep 1,5 --output jsonl
$TEMPER predict -q -m model.temper twins.csv --keep 1,5 | head -n 1
train_on sparse.svm sparse.temper
temper_exit predict -q -m sparse.temper "$CLI_TESTS/data/sparse.svm" --keep id
ls
