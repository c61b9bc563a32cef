#!/usr/bin/env bash
# Decisions of a review page are applied: exactly those labels change, and every contradiction is refused with its
# place, before anything is written.
printf '\xef\xbb\xbfid;kind;x;y\r\n1;"no";1;2\r\n\r\n2; yes ;2;3\r\n3;no;5;4\r\n4;yes;6;"7"\r\n' >data.csv
apply() { temper_exit audit -q data.csv --label kind --ignore id --apply "$1" --fix out.csv "${@:2}"; }
head='row,line,given,decision,label'

printf '%s\r\n' "$head" '1,2,no,wrong,yes' '2,4,yes,right,yes' '' '3,5,no,other,"per;haps"' '4,6,yes,unsure,' >right.csv
apply right.csv
diff <(sed 's/"no"/"yes"/; s/3;no/3;"per;haps"/' data.csv) out.csv && echo "only those labels"
$TEMPER audit -q data.csv --label kind --ignore id --apply right.csv --fix - --to csv | cmp - out.csv

# By row where there are no lines; columns in any order; none is changed.
printf '%s\n' 'label,decision,given,row,remark' ',unsure,yes,2,so so' >unsure.csv
apply unsure.csv
cmp data.csv out.csv
rm out.csv

refused() { printf '%s\n' "$@" >wrong.csv && apply wrong.csv; }
refused 'row,given,label' '1,no,yes'
refused "$head" '1,2,no,wrong'
refused "$head" '9,,no,wrong,yes'
refused "$head" '0,,no,wrong,yes'
refused "$head" '1,3,no,wrong,yes'
refused "$head" '2,2,no,wrong,yes'
refused "$head" 'one,2,no,wrong,yes'
refused "$head" '1,2,yes,wrong,no'
refused "$head" '1,2,no,perhaps,yes'
refused "$head" '1,2,no,wrong,'
refused "$head" '1,2,no,wrong,no'
refused "$head" '1,2,no,right,yes'
refused "$head" '1,2,no,unsure,yes'
refused "$head" '1,2,no,other,NA'
refused "$head" '1,2,no,wrong,yes' '' '1,2,no,right,no'
refused "$head" '1,2,"no,wrong,yes'
[ -e out.csv ] || echo "nothing is written"

# Labels without any feature.
printf 'text,kind\nthis,a\nthat,b\n' >labels.csv
printf '%s\n' "$head" '2,3,b,wrong,a' >some.csv
temper_exit audit -q labels.csv --ignore text --apply some.csv --fix out.csv
diff labels.csv out.csv

# libsvm, and a format without lines, in which a class cannot be new.
printf '%s\n' 'a 1:1' '# remark' 'b 2:1 # b' 'a 1:2' >data.svm
other() { # other DATA OUT LINE...
    printf '%s\n' "$head" "${@:3}" >some.csv
    temper_exit audit -q "$1" --apply some.csv --fix "$2"
}
other data.svm out.svm '2,3,b,wrong,a' '3,4,a,other,c'
cat out.svm
other data.svm out.svm '2,3,b,other,c:d'
$TEMPER convert -q data.svm data.tmpr
other data.tmpr out.tmpr '2,,b,wrong,a'
$TEMPER convert -q out.tmpr - --to libsvm
other data.tmpr out.tmpr '2,,b,other,c'

temper_exit audit data.csv --apply right.csv
temper_exit audit data.csv --apply right.csv --fix out.csv --top 5
temper_exit audit -q data.csv --label kind --ignore id --apply none.csv --fix out.csv
