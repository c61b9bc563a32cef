#!/usr/bin/env bash
# Messages have nowhere to go; above all they do not go into the file that is being written.
$TEMPER plot losses --losses hinge --t1 0.3 -o figure.svg 2>&-
echo "exit $?"
head -c 4 figure.svg && echo
grep -c warning figure.svg
$TEMPER plot losses --t1 abc 2>&-
