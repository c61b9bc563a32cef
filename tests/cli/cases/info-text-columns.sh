#!/usr/bin/env bash
# With --strict all columns of text are named at once, with what to do; doing it helps.
printf 'name,age,city,joined,label\nann,31,Rome,2024-01-02,yes\nbob,42,Oslo,2024-02-03,no\n' >crowd.csv
temper_exit info --strict crowd.csv
temper_exit train --strict crowd.csv
temper_exit info crowd.csv -q --ignore name,joined --categorical city | grep -e features -e exit
