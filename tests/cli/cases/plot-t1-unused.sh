#!/usr/bin/env bash
# An option that changes nothing is worth a warning.
$TEMPER plot losses --losses hinge,tempered:0.5:1.5 --t1 0.3 --t2 1.1 -o figure.svg
