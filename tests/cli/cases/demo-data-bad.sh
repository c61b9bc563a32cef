#!/usr/bin/env bash
# What a demonstration on a table of the user refuses; no page is written.
awk 'BEGIN { print "x,kind"; for (i = 0; i < 40; i++) print i ",yes" }' >one.csv
awk 'BEGIN { print "x,kind"; for (i = 0; i < 20; i++) print i "," i % 2 }' >few.csv
awk 'BEGIN { print "x,kind"; for (i = 0; i < 100; i++) print i "," (i > 50) }' >rows.csv
temper_exit demo --data nowhere.csv
temper_exit demo --data ''
temper_exit demo --data one.csv -q
temper_exit demo --data few.csv -q
temper_exit demo --data rows.csv -q --label none
temper_exit demo --data rows.csv -q --rate 0.001
temper_exit demo --data rows.csv --rate 0.9
temper_exit demo --data rows.csv --kind matrix
temper_exit demo --data rows.csv -o rows.csv
temper_exit demo --data rows.csv -o nowhere/page.html
temper_exit demo --rate 0.2
temper_exit demo --label kind
ls
