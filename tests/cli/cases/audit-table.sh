#!/usr/bin/env bash
# Planted mistakes are found; the list goes to the terminal, a page, a file, and the data put right.
awk 'BEGIN { for (i = 0; i < 300; i++) {
    k = i % 2; y = i % 25 == 0 ? 1 - k : k
    print i * 37 % 101 / 64 + 2 * k "," i * 53 % 97 / 64 - k "," (y ? "on" : "off") } }' >data.csv
last=$(tail -n 1 data.csv)
printf '%s\n' "$last" >>data.csv
printf '%s\n' "${last/%,on/,off}" >>data.csv
$TEMPER audit -q --t1 0.3 data.csv --report page.html -o list.csv --fix fixed.csv \
    --fix-how relabel >table
sed '/seconds/,$d' table
grep -A 1 conflicts table
head -n 1 list.csv
tail -n +2 list.csv | cut -d, -f1-4 | sort -n
grep -c 'Labels to look at again' page.html
diff data.csv fixed.csv | grep -c '^>'
