#!/usr/bin/env bash
# Separators, decimal marks, words for gaps, lines before the table, encodings, orders of dates, words of texts: inferred,
# and by options.
rows() { $TEMPER convert -q "$@" out.csv && cat out.csv; }
printf 'x;k\n1,5;a\n2,25;b\n' >commas.csv
rows commas.csv
printf 'x|k\n1,500|a\n2,250|b\n' >bars.csv
rows bars.csv
rows bars.csv --decimal comma
rows bars.csv --sep bar --decimal point
printf 'x  y k\n 1  -9 a\n 2 8  b\n' >blanks.txt
rows blanks.txt --na -9
printf 'Title of the table\nsource: nowhere\nx,k\n1,a\n2,b\n' >titled.csv
rows titled.csv
rows titled.csv --skip 3 --header no
printf 'd,k\n1/2/2024,a\n3/2/2024,b\n' >dates.csv
rows dates.csv
rows dates.csv --date dmy
printf 'x,k\n1,stra\337e\n2,b\n' >latin.csv
rows latin.csv
printf '\377\376x\0,\0k\0\n\0001\0,\0\344\0\n\0002\0,\0b\0\n\0' >wide.csv
rows wide.csv
rows wide.csv --encoding utf-16
printf 'x,t,k\n1,red car,a\n2,blue car,b\n' >text.csv
$TEMPER info -q text.csv --text t | grep features
temper_exit info -q text.csv --sep dot
temper_exit info -q text.csv --text nothing
