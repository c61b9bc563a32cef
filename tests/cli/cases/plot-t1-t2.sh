#!/usr/bin/env bash
# --t1 and --t2 go to the losses that come without, and leave the others alone.
$TEMPER plot losses --panels c --losses tempered,gce,t-logistic,bregman --t1 0.3 --t2 1.5 >short.svg
$TEMPER plot losses --panels c \
    --losses tempered:0.3:1.5,gce:0.3,t-logistic:1.5,bregman:0.3:1.5 | cmp - short.svg
$TEMPER plot losses --panels c --losses tempered:0.2:1.2,tempered --t1 0.3 >mixed.svg
$TEMPER plot losses --panels c --losses tempered:0.2:1.2,tempered:0.3:1.6 | cmp - mixed.svg
