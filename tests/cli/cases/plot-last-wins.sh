#!/usr/bin/env bash
# Of an option that is given twice, the last one counts.
$TEMPER plot losses --t1 0.3 >expected.svg
$TEMPER plot losses --t1 0.9 --t1=0.3 | cmp - expected.svg
$TEMPER plot losses --t1 0.3 -o first.svg -o second.svg
ls
