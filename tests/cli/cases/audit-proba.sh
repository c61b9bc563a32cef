#!/usr/bin/env bash
# An audit by the probabilities of any model: from a table in any order of columns, without features, and with others.
awk 'BEGIN { print "y"; for (i = 0; i < 300; i++) print substr("abc", (i % 3 + (i % 20 == 7)) % 3 + 1, 1) }' >labels.csv
awk 'BEGIN { print "c,a,b"; for (i = 0; i < 300; i++) {
    p[0] = p[1] = p[2] = 0.05 + i % 7 / 100; p[i % 3] = 1 - 2 * p[0]; print p[2] "," p[0] "," p[1] } }' >p.csv
awk 'BEGIN { for (i = 0; i < 300; i++) print i % 3 + i * 37 % 101 / 500 "," i % 3 * 2 + i * 53 % 97 / 500 }' >x.csv
read_as=(--header yes --label y)
$TEMPER audit "${read_as[@]}" labels.csv --proba p.csv -o list.csv 2>&1 | sed '/seconds/,$d'
tail -n +2 list.csv | cut -d, -f2-4 | sort -n | head -n 3
wc -l <list.csv
# The same columns in ascending order, without names; and tab-separated, as predict prints them.
awk -F, 'NR > 1 { print $2 "," $3 "," $1 }' p.csv >unnamed.csv
$TEMPER audit "${read_as[@]}" labels.csv --proba unnamed.csv -o unnamed.list.csv 2>&1 >/dev/null | grep -c ascending
tr , '\t' <p.csv >p.tsv
$TEMPER audit -q "${read_as[@]}" labels.csv --proba p.tsv -o tabs.list.csv >/dev/null
cmp list.csv unnamed.list.csv && cmp list.csv tabs.list.csv
# Features in another file have neighbours, and so distances.
$TEMPER audit -q "${read_as[@]}" labels.csv --proba p.csv --json --top 1 | grep -o '"distance": null'
$TEMPER audit -q "${read_as[@]}" labels.csv --proba p.csv --features x.csv --json --top 1 | grep -c '"distance": null'
# Models that have seen the rows.
awk 'NR == 1 { print "a,b,c"; next } { for (i = 1; i <= 3; i++)
    printf "%s%s", ($0 == substr("abc", i, 1) ? 0.98 : 0.01), i < 3 ? "," : "\n" }' labels.csv >seen.csv
{ $TEMPER audit -q "${read_as[@]}" labels.csv --proba seen.csv >/dev/null; } 2>&1
# What is refused.
temper_exit audit -q "${read_as[@]}" labels.csv
temper_exit audit -q "${read_as[@]}" labels.csv --proba p.csv --t1 0.3
temper_exit audit -q "${read_as[@]}" labels.csv --proba p.csv --kind row
temper_exit audit -q "${read_as[@]}" labels.csv --proba absent.csv
head -n 200 p.csv >short.csv
temper_exit audit -q "${read_as[@]}" labels.csv --proba short.csv
sed 's/^c,a,b/c,a,d/' p.csv >unknown.csv
temper_exit audit -q "${read_as[@]}" labels.csv --proba unknown.csv
cut -d, -f1,2 p.csv >missing.csv
temper_exit audit -q "${read_as[@]}" labels.csv --proba missing.csv
sed '5s/.*/0.5,0.5,0.5/' p.csv >sum.csv
temper_exit audit -q "${read_as[@]}" labels.csv --proba sum.csv
sed '5s/.*/1.5,-0.5,0/' p.csv >negative.csv
temper_exit audit -q "${read_as[@]}" labels.csv --proba negative.csv
sed '5s/.*/nan,0.5,0.5/' p.csv >nan.csv
temper_exit audit -q "${read_as[@]}" labels.csv --proba nan.csv
head -n 200 x.csv >short.x.csv
temper_exit audit -q "${read_as[@]}" labels.csv --proba p.csv --features short.x.csv
