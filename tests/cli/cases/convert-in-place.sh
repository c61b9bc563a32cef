#!/usr/bin/env bash
# OUT may be IN: the new file takes the place of the old one when it is whole.
printf '1 1:1 3:2\n-1 2:1\n' >data.svm
$TEMPER convert -q data.svm data.svm --to tmpr
$TEMPER info -q data.svm | sed -n 1,2p
$TEMPER convert -q data.svm data.svm --to libsvm --classes 1
cat data.svm
ls
