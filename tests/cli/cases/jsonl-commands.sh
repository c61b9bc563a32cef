#!/usr/bin/env bash
# JSON lines in every command: the model of a table is the same, byte for byte, as from CSV; keys come in any order, and
# may be missing; noise and fixes change the text of labels alone.
rows() { # rows FORMAT
    LC_ALL=C awk -v format="$1" 'BEGIN {
        if (format == "csv") print "age,city,member,since,kind"
        for (i = 1; i <= 60; i++) {
            age = i % 10 == 0 ? "" : (i * 37) % 41
            city = i % 3 == 0 ? "R\"ome" : "Ulm, DE"
            member = i % 4 == 0 ? "false" : "true"
            since = sprintf("2024-%02d-%02d", i % 12 + 1, i % 28 + 1)
            kind = (i * 37) % 41 > 20 ? "high" : "low"
            if (format == "csv") {
                quoted = city; gsub(/"/, "\"\"", quoted)
                print age ",\"" quoted "\"," member "," since "," kind
            } else {
                quoted = city; gsub(/"/, "\\\"", quoted)
                a = "\"age\": " (age == "" ? "null" : age); b = "\"city\": \"" quoted "\", \"member\": " member
                c = "\"since\": \"" since "\""; k = "\"kind\": \"" kind "\""
                if (i == 1) print "{" a ", " b ", " c ", " k "}"
                else if (age == "" && i % 20) print "{" k ", " c ", " b "}"
                else print "{" k ", " a ", " c ", " b "}"
            }
        }
    }'
}
rows csv >t.csv
rows jsonl >t.jsonl
$TEMPER train -q t.csv -m csv.model >/dev/null
$TEMPER train t.jsonl -m jsonl.model | grep -e rows -e features -e accuracy
cmp csv.model jsonl.model
gzip -k t.jsonl
$TEMPER train -q t.jsonl.gz -m other.model >/dev/null
cmp csv.model other.model
$TEMPER train -q --threads 1 - -m other.model <t.jsonl >/dev/null
cmp csv.model other.model
$TEMPER tune -q --folds 3 t.csv -m csv.tuned >/dev/null
$TEMPER tune -q --folds 3 t.jsonl -m jsonl.tuned >/dev/null
cmp csv.tuned jsonl.tuned
$TEMPER predict -q -m csv.model t.csv >csv.out
$TEMPER predict -q -m csv.model t.jsonl | cmp csv.out -
$TEMPER eval -q -m csv.model t.jsonl | head -n 2
$TEMPER info -q t.jsonl
$TEMPER noise -q t.jsonl --rate 0.1 --seed 2 -o noisy.jsonl
diff t.jsonl noisy.jsonl | head -n 4
$TEMPER eval -q -m csv.model noisy.jsonl | head -n 2
$TEMPER audit -q noisy.jsonl --top 1 --fix fixed.jsonl --fix-how relabel >/dev/null
diff noisy.jsonl fixed.jsonl | grep -c '^>'
$TEMPER audit -q noisy.jsonl --top 1 --fix fixed.jsonl --fix-how drop >/dev/null
diff noisy.jsonl fixed.jsonl | grep -c '^<'
$TEMPER audit -q noisy.jsonl --top 1 --fix fixed.jsonl --fix-how weight >/dev/null
head -n 1 fixed.jsonl
$TEMPER convert -q t.jsonl t.tmpr
$TEMPER convert -q t.jsonl - --to jsonl | head -n 1
$TEMPER convert -q t.csv - --to jsonl >a
$TEMPER convert -q t.jsonl - --to jsonl | cmp a -
# A cell that does not fit its column has the place of its value.
sed 's/"age": 33,/"age": "many",/' t.jsonl >odd.jsonl
$TEMPER train odd.jsonl -m other.model 2>&1 >/dev/null | grep warning
# What is no flat object.
sed '7s/"age": [0-9]*/"age": [1]/' t.jsonl >nested.jsonl
temper_exit train -q nested.jsonl -m other.model
temper_exit info nested.jsonl
temper_exit train -q t.jsonl --header yes -m other.model
