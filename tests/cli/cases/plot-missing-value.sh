#!/usr/bin/env bash
for option in -o --output --panels --temperatures --losses --t1 --margins; do
    temper_exit plot losses $option
done
