#!/usr/bin/env bash
# One of each: words are in the singular.
printf 'x,colour,y\n1,red,a\n,red,b\n3,red,a\n' >one.csv
$TEMPER info one.csv --categorical colour --missing mean >/dev/null
$TEMPER info -q one.csv --categorical colour --missing zero --json | grep notes
$TEMPER info one.csv --categorical colour --missing drop >/dev/null
echo a >labels.txt
temper_exit info one.csv --categorical colour,3 --labels labels.txt --missing zero
$TEMPER train -q one.csv --categorical colour --missing mean -m one.temper >/dev/null
printf 'x,colour\n,blue\n' >new.csv
$TEMPER predict new.csv -m one.temper
