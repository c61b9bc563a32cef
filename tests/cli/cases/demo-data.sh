#!/usr/bin/env bash
# A table of the user: labels are flipped in a copy, three methods and an audit are compared. The clusters are those of
# the synthetic data, which mislead logistic regression; eight labels are wrong from the start.
awk 'BEGIN { print "x,y,kind"; for (i = 0; i < 400; i++) {
    s = i % 2 ? 1 : -1; k = int(i / 2) % 10; u = (i * 37 % 101) / 101 - 0.5; v = (i * 59 % 97) / 97 - 0.5
    x = k < 4 ? 1 + 0.2 * u : 0.12 + 0.1 * u; y = (k < 4 ? 0 : k < 7 ? 1 : -0.3) + 0.2 * v
    printf "%.4f,%.4f,%s\n", s * x, s * y, (s > 0) != (i % 50 == 7) ? "yes" : "no" } }' >rows.csv
cp rows.csv before.csv
$TEMPER demo --data rows.csv --playground playground.html >said
sed 's/([0-9.]* s)/(S s)/' said
cmp rows.csv before.csv && echo "the table is as it was"
grep -o 'href="[^"]*"' temper-demo.html
grep -c '<svg' temper-demo.html
$TEMPER demo --data rows.csv --threads 1 --playground playground.html -q -o again.html >/dev/null
cmp temper-demo.html again.html && echo "the same page on one thread"
# Other kinds, another share; three classes; a format without lines.
$TEMPER demo --data rows.csv -q --kind large-margin --rate 0.2 --seed 2 -o other.html | grep '^flipped'
awk 'NR == 1 { print; next } { sub(/yes$/, NR % 4 == 3 ? "yes" : "often"); print }' rows.csv |
    awk -F, -v OFS=, '$3 == "often" { $2 += 5 } 1' >three.csv
$TEMPER demo --data three.csv -q --kind pair -o three.html | grep -A1 '^flipped'
$TEMPER convert rows.csv rows.npy -q
$TEMPER demo --data rows.npy -q -o npy.html | grep "^    row"
