#!/usr/bin/env bash
# Everything that the table shows: ranges, columns that teach nothing, missing values, classes.
cat >pets.csv <<'END'
weight,height,height again,legs,kind
4.5,25,25,4,cat
30,60,60,4,dog
,22,22,4,cat
12.25,40,40,4,"dog, small"
5,24,24,4,cat
END
$TEMPER info pets.csv --missing mean
$TEMPER info -q pets.csv --missing drop --class-weight balanced --ignore legs
