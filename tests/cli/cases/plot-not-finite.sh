#!/usr/bin/env bash
for value in inf -inf INFINITY 1e999 -1e999; do
    temper_exit plot losses --t1 "$value"
done
