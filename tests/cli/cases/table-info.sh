#!/usr/bin/env bash
# info describes what cannot be trained on, with the reason and the command to begin with.
printf 'x,x,k\n1,2,a\n3,4,b\n' >twice.csv
temper_exit info -q twice.csv
temper_exit train -q twice.csv
printf 'x,k\n1,a\n2\n3,b,c\n' >ragged.csv
temper_exit info -q ragged.csv
{ echo city,price && for i in $(seq 40); do echo "c$((i % 3)),$((i * 31 % 97)).5"; done; } >target.csv
temper_exit info -q target.csv
temper_exit train -q target.csv
printf 'a,b\nc,d\n' >names.csv
temper_exit info -q names.csv --json
printf 'colour|size\n' >empty.csv
temper_exit info -q empty.csv
# What it proposes works.
{ echo id,kind,review && for i in $(seq 40); do echo "$((i * 13)),$([ $((i % 2)) = 0 ] && echo good || echo bad),text number $i of them"; done; } >first.csv
# shellcheck disable=SC2016 # for eval
eval "$($TEMPER info -q first.csv | sed -n 's/^train by *temper/$TEMPER/p') -q -m model" | head -n 3
