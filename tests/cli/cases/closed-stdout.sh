#!/usr/bin/env bash
# With the standard output closed from the start, nothing may be said to have worked, and no file
# may get its number.
$TEMPER version >&-
echo "exit $?"
$TEMPER plot losses -o figure.svg >&-
echo "exit $?"
head -c 4 figure.svg && echo
