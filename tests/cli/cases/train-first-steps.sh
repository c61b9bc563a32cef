#!/usr/bin/env bash
# What tables of first users have: an index, comments, numbers as spreadsheets write them, gaps that
# are marked by text: all are read; names in other letters are reported.
rows() { # rows BEFORE: 24 rows of two classes, with something in front of them
    for i in {0..23}; do echo "${1//\#/$i}$((i % 5)),$((i * 7 % 11)),$((i % 3 ? 1 : 2))"; done
}
{ echo ,a,b,label && rows '#,'; } >index.csv
{ echo '# from a spreadsheet' && echo a,b,label && rows ''; } >comment.csv
{ echo a,b,label && rows '' && echo '-,2,1'; } >gap.csv
{ echo price,a,b,label && rows '"1,#00",'; } >price.csv
{ echo a,b,label && rows ''; } >good.csv
for data in index comment gap price good; do
    $TEMPER train -q $data.csv -m $data.temper | grep rows
done
printf 'A,b\n1,2\n' | $TEMPER predict -q -m good.temper -
echo "exit $?"
