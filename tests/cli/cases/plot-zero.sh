#!/usr/bin/env bash
# Zero is a temperature, and so is minus zero; numbers come in all spellings.
$TEMPER plot losses --t1 0 --t2 1 -o zero.svg
$TEMPER plot losses --t1 -0 --t2 +1.0 | cmp - zero.svg
$TEMPER plot losses --t1 0e5 --t2 10e-1 | cmp - zero.svg
