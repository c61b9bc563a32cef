#!/usr/bin/env bash
# Names of classes are shown whole and aligned, wide characters and accents too; numbers replace them above the columns
# where the table would be too wide.
rows() { # rows FIRST SECOND THIRD: a table of these classes
    echo x,y,kind
    for i in 1 2 3; do printf '%s,0,"%s"\n0,%s,"%s"\n-%s,-%s,"%s"\n' $i "$1" $i "$2" $i $i "$3"; done
}
rows 日本語 café ok >short.csv
$TEMPER train -q short.csv -m short.temper --calibrate none >/dev/null
$TEMPER eval -q -m short.temper short.csv | sed -n '/^Given/,$p'
rows 日本語の名前 'a name that is longer than forty characters, really' ok >long.csv
$TEMPER train -q long.csv -m long.temper --calibrate none >/dev/null
$TEMPER eval -q -m long.temper long.csv | sed -n '/^Each/,$p'
