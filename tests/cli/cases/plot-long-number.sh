#!/usr/bin/env bash
# A number of any reasonable length is one; a longer one is refused, not cut.
zeros=$(printf '%0100d' 0)
$TEMPER plot losses --temperatures "1.$zeros" -o long.svg
$TEMPER plot losses --temperatures 1 | cmp - long.svg
$TEMPER plot losses --temperatures "$zeros${zeros}1"
