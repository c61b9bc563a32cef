#!/usr/bin/env bash
# Fewer panels, a smaller figure.
$TEMPER plot losses --panels a >a.svg
$TEMPER plot losses --panels ab >ab.svg
$TEMPER plot losses --panels abc >abc.svg
test "$(wc -c <a.svg)" -lt "$(wc -c <ab.svg)" && echo "a < ab"
test "$(wc -c <ab.svg)" -lt "$(wc -c <abc.svg)" && echo "ab < abc"
