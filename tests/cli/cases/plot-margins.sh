#!/usr/bin/env bash
# A value that begins with a dash is a value.
$TEMPER plot losses --margins -2.5,1e1 -o figure.svg
$TEMPER plot losses --margins=-2.5,10 | cmp - figure.svg
