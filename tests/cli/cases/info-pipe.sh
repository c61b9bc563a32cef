#!/usr/bin/env bash
# A pipe, a named pipe, a process substitution and /dev/stdin are as good as a file.
printf '1 1:1 3:2\n-1 2:1\n' >data.svm
$TEMPER info -q - <data.svm | sed -n 2,3p
tail -n 2 data.svm | $TEMPER info -q /dev/stdin | sed -n 2,3p
$TEMPER info -q <(gzip -c data.svm) | sed -n 1,3p
mkfifo pipe
cat data.svm >pipe &
$TEMPER info -q pipe | sed -n 2,3p
$TEMPER convert -q data.svm data.tmpr
$TEMPER info -q - <data.tmpr | sed -n 1,3p
