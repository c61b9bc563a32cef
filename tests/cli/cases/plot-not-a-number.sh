#!/usr/bin/env bash
for value in abc '' 1x ' 1' '1 ' 1,5 nan NAN - --t2 0x 1e; do
    temper_exit plot losses --t1 "$value"
done
