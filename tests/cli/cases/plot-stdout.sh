#!/usr/bin/env bash
# The figure goes to the standard output, and nothing else does.
$TEMPER plot losses >figure.svg
head -c 4 figure.svg && echo
tail -n 1 figure.svg
$TEMPER plot losses -o - | cmp - figure.svg
$TEMPER plot -- losses | cmp - figure.svg
