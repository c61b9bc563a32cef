#!/usr/bin/env bash
# With features, by row number and by a column of identifiers; probabilities of another model; the labelled data trains.
LC_ALL=C awk 'BEGIN {
    print "name,x,y" >"data.csv"; print "item,who,label" >"votes.csv"; print "item,who,label" >"by-row.csv"
    print "id,no,yes" >"p.csv"
    for (i = 1; i <= 200; i++) {
        t = i * 7 % 2; n = "\"row, " i "\""
        print n "," i * 37 % 101 / 50 - 1 + 2 * t "," i * 53 % 89 / 44 >"data.csv"
        print n "," (t ? "0.2,0.8" : "0.8,0.2") >"p.csv"
        for (k = 0; k < 3; k++) {
            if (i % 20 == 0 || (i + k) % 3 == 0) continue
            right = (i * 29 + k * 43 + i * i * (k + 1)) % 100 < 75
            label = (right ? t : 1 - t) ? "yes" : "no"
            print n ",w" k "," label >"votes.csv"
            print i ",w" k "," label >"by-row.csv"
        }
    }
}'
right() { awk -F, -v id="$2" 'NR > 1 { n = $1; if (id) sub(/"row/, "", n); l = id ? $3 : $2; v = id ? $2 : $1
    gsub(/[^0-9]/, "", v); all++; r += l == (v * 7 % 2 ? "yes" : "no") } END { print r " of " all " right" }' "$1"; }
$TEMPER annotators votes.csv -q -o alone.csv >/dev/null && right alone.csv 1
$TEMPER annotators votes.csv data.csv --id name -o joined.csv --labelled labelled.csv |
    grep -E '^(votes|model)'
right joined.csv 1
$TEMPER annotators by-row.csv data.csv -q --ignore name -o rows.csv >/dev/null && right rows.csv
$TEMPER annotators votes.csv -q --proba p.csv --id id -o given.csv | grep '^model' && right given.csv 1
# Classes that are numbers, as temper predict names them, are a header and no row.
{ printf '0\t1\n' && sed '1d; s/^"[^"]*",//; y/,/\t/' p.csv; } >p.tsv
sed '1!{s/yes$/1/; s/no$/0/}' by-row.csv >numbers.csv
$TEMPER annotators numbers.csv -q --proba p.tsv -o given.csv | grep '^model'
head -n 2 labelled.csv
$TEMPER train -q labelled.csv -m m.temper | grep -E '^(rows|classes)'
# Data that has labels already: the consensus replaces them.
paste -d, data.csv <(sed 's/.*/0/; 1s/.*/label/' data.csv) >old.csv
$TEMPER annotators votes.csv old.csv -q --id name --label label --labelled new.csv >/dev/null && cmp new.csv labelled.csv
