#!/usr/bin/env bash
# Lines of a million characters, in text that is right and in text that is wrong.
long() { # long SEPARATOR: 100,000 cells
    seq -s "$1" 100000
}
{ echo "$(long ,),a" && echo "$(long ,),b"; } >long.csv
$TEMPER info -q long.csv | sed -n 2,3p
{ printf '1' && seq -f ' %.0f:1' -s '' 100000 && printf -- '-1 1:1\n'; } >long.svm
$TEMPER info -q long.svm | sed -n 2,3p
head -c 1000000 /dev/zero | tr '\0' 'x' >text.svm
temper_exit info text.svm
{ cat text.svm && printf ' 1:1\n2 1:3\n'; } >label.svm
$TEMPER info -q --json label.svm | grep '"classes"'
$TEMPER convert -q label.svm label.csv && $TEMPER info -q --json label.csv | grep '"classes"'
$TEMPER convert -q label.csv label.tmpr && $TEMPER convert -q label.tmpr - --to libsvm | cmp - label.svm
{ printf '1 1:1\n-1 1:0.' && head -c 1000000 /dev/zero | tr '\0' '7' && echo; } >fraction.svm
$TEMPER convert -q fraction.svm - --to csv
{ printf '1 1:1\n-1 1:' && head -c 1000000 /dev/zero | tr '\0' '7' && echo; } >digits.svm
temper_exit info digits.svm
{ printf '1,2,"' && head -c 1000000 /dev/zero | tr '\0' 'x'; } >quote.csv
temper_exit info quote.csv
