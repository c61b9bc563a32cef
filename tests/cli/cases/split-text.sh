#!/usr/bin/env bash
# Files for training and testing: rows as they are in the file, the header in both.
all_rows() { # all_rows HEADER_LINES FILE TRAIN TEST: together they have the rows of the file
    cmp <(tail -n "+$(($1 + 1))" "$2" | sort) <({ tail -n "+$(($1 + 1))" "$3" && tail -n "+$(($1 + 1))" "$4"; } | sort)
}
cp "$CLI_TESTS/data/two.csv" "$CLI_TESTS/data/three.csv" "$CLI_TESTS/data/sparse.svm" .
$TEMPER split two.csv
all_rows 1 two.csv two.train.csv two.test.csv
cut -d , -f 4 two.test.csv | sort | uniq -c
cp two.test.csv before
$TEMPER split two.csv -q >/dev/null && cmp before two.test.csv
$TEMPER split two.csv --seed 2 -o other >/dev/null && ! cmp -s before other.test.csv
# The order of the file is kept.
cmp <(grep -Fx -f two.test.csv two.csv) two.test.csv
# No header, and folds.
$TEMPER split three.csv --folds 3 -o f | sed 1d
cat f.fold?.test.csv | sort | cmp - <(sort three.csv)
all_rows 0 three.csv f.fold2.train.csv f.fold2.test.csv
$TEMPER split sparse.svm --share 0.5 --json
all_rows 0 sparse.svm sparse.train.svm sparse.test.svm
# A byte order mark, a line before the table, CRLF, newlines in quotes, blank lines, and no newline at the end.
printf '\xef\xbb\xbfa title\r\nid,text,kind\r\n' >odd.csv
for i in 1 2 3 4 5 6 7 8 9; do printf '%d,"line 1\nline, 2 ""q""",%s\r\n' "$i" "$([ "$i" -gt 4 ] && echo a || echo b)"; done >>odd.csv
printf '\r\n10,last,a' >>odd.csv
$TEMPER split odd.csv --share 0.3 --label kind
head -n 2 odd.test.csv | od -c | head -n 2
grep -c $'\r$' odd.test.csv
cat odd.train.csv odd.test.csv | tr -d '\r' | grep -c '^10,last,a$'
# JSON lines, compressed.
for i in $(seq 10); do printf '{"id": %d, "x": "}\\"", "label": "%s"}\n' "$i" "$([ "$i" -gt 6 ] && echo a || echo b)"; done >rows.jsonl
gzip -n rows.jsonl
$TEMPER split rows.jsonl.gz --share 0.2
cat rows.test.jsonl
# Labels that hardly recur are no classes.
for i in $(seq 20); do echo "$i,$((i * 3)).5"; done >target.csv
$TEMPER split target.csv --header no --label 2 2>&1
# Other formats are written as they are read.
$TEMPER convert -q two.csv two.tmpr
$TEMPER split two.tmpr
$TEMPER info -q two.test.tmpr | grep -E 'rows|class'
