#!/usr/bin/env bash
# The defaults that the help shows are those that count.
$TEMPER plot losses >expected.svg
$TEMPER plot losses --panels abc --temperatures 0,0.5,1,1.5,2 --margins -6,4 \
    --losses hinge,logistic,t-logistic:1.6,tempered --t1 0.6 --t2 1.6 | cmp - expected.svg
$TEMPER plot losses --losses hinge:0,logistic,t-logistic:1.6,tempered:0.6:1.6 | cmp - expected.svg
