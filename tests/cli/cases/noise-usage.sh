#!/usr/bin/env bash
# What is missing, and what means nothing.
printf '1,2,a\n3,4,b\n' >data.csv
temper_exit noise data.csv --rate 0.5
temper_exit noise data.csv -o out.csv
temper_exit noise data.csv -o - --rate 0.5
temper_exit noise data.csv -o out.csv --rate 1.5
temper_exit noise data.csv -o out.csv --kind nasty --rate 0.5
temper_exit noise data.csv -o out.csv --rate 0.5 --map a=b
temper_exit noise data.csv -o out.csv --kind matrix --matrix m.csv --rate 0.5
temper_exit noise -q data.csv -o nowhere/out.csv --rate 0.5
temper_exit noise -q data.csv -o out.xyz --rate 0.5
printf '1:1\n1:2\n' >unlabelled.svm
temper_exit noise -q unlabelled.svm -o out.csv --rate 0.5
ls
