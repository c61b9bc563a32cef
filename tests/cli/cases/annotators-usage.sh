#!/usr/bin/env bash
# What is wrong is said with its place and a remedy.
try() { $TEMPER annotators -q "$@"; echo "exit $?"; }
printf 'item,who,label\n1,a,x\n2,b,y\n1,b,x\n' >votes.csv
printf 'x,y\n1,2\n3,4\n5,6\n' >data.csv
printf 'x,label\n1,2\n3,4\n' >labelled.csv
printf 'x,y\n0.5,0.5\n0.4,0.4\n' >sums.csv
printf 'x,z\n0.5,0.5\n0.4,0.6\n' >names.csv
printf 'item,who,label\n1,a,x\n2,b\n' >short.csv
printf 'item,who,label\n1,a,x\n7,b,y\n' >seven.csv
try nothing.csv
try short.csv
try seven.csv data.csv
try votes.csv --id name
try votes.csv data.csv --id name
try votes.csv --labelled out.csv
try votes.csv labelled.csv
try votes.csv --proba sums.csv
try votes.csv --proba names.csv
try votes.csv --proba sums.csv --method majority
try votes.csv --layout tall
try votes.csv --columns a,b,c
try votes.csv -o votes.csv
try votes.csv data.csv --labelled data.csv
try votes.csv -o no/where.csv
ls
