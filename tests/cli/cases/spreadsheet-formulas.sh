#!/usr/bin/env bash
# A name that a spreadsheet would run as a formula is text in CSV results, and is read back as the name that it is; other
# names that begin with such a sign are as they are.
bad="=HYPERLINK(\"x\")"
{
    echo "a,b,y"
    for i in 1 2 3 4 5 6 7 8; do
        printf '%s,%s,"%s"\n' "$i" $((i % 3)) "=HYPERLINK(\"\"x\"\")"
        printf -- '-%s,%s,-1 star\n' "$i" $((i % 3))
    done
} >names.csv
$TEMPER train names.csv -m names.temper -q >train.txt 2>&1
$TEMPER predict -q -m names.temper names.csv --output csv | sed -n '2,3s/,[^,]*,[^,]*$//p'
$TEMPER predict -q -m names.temper names.csv | grep -cF "$bad"
$TEMPER audit -q names.csv --top 1 -o list.csv >table.txt
head -n 2 list.csv | tail -n 1 | grep -o "'="
# The decision about such a row is found again by its name.
printf '%s\n' 'row,line,given,decision,label' "1,2,\"'=HYPERLINK(\"\"x\"\")\",wrong,-1 star" >decided.csv
temper_exit audit -q names.csv --apply decided.csv --fix fixed.csv
diff names.csv fixed.csv
