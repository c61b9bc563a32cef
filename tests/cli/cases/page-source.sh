#!/usr/bin/env bash
# A page states its sources: files as they were named, rows, classes, the program; and twice the
# same makes the same bytes.
{
    echo x,y,label
    for i in {1..40}; do
        echo "$((i % 7)),$((i % 20 == 3 ? 0 : i)),$((i % 2 ? 0 : 1))"
        ((i % 10)) || echo "$i,,1"
    done
} | sed 's/,0$/<no>/; s/,1$/,yes/; s/<no>/,<no>/' >rows.csv
for page in first second; do
    $TEMPER tune -q rows.csv -m model --missing drop --report "tune-$page.html" >/dev/null
    $TEMPER audit -q rows.csv --missing drop --report "audit-$page.html" >/dev/null 2>&1
    $TEMPER plot report -q -m model rows.csv --missing drop -o "report-$page.html"
done
for page in tune audit report; do
    grep -h '^<p>.*Data: ' $page-first.html
    grep -h '<footer>' $page-first.html | sed 's/[0-9][0-9.]*[0-9]/VERSION/'
    cmp $page-first.html $page-second.html
done
