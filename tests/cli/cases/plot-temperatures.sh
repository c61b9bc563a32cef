#!/usr/bin/env bash
# Temperatures change panels a and b, and leave c alone.
$TEMPER plot losses --panels a >a.svg
$TEMPER plot losses --panels a --temperatures 0.25 | cmp -s - a.svg || echo "a changes"
$TEMPER plot losses --panels c >c.svg
$TEMPER plot losses --panels c --temperatures 0.25 | cmp - c.svg
