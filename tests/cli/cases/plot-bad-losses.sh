#!/usr/bin/env bash
for losses in '' tempred xyzzy 'hinge,' tempered:0.5 tempered:0.5:1.5:2 tempered: gce:x gce:-1 gce:1:2 \
    logistic:1 logistic: t-logistic:inf hinge:-1 hinge:1:2; do
    temper_exit plot losses --losses "$losses"
done
