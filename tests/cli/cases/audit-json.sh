#!/usr/bin/env bash
# One object a line; a threshold; the same bytes for any number of threads.
$TEMPER audit -q --t1 0.3 --json --top 2 --threads 1 "$CLI_TESTS/data/three.csv" >one
$TEMPER audit -q --t1 0.3 --json --top 2 --threads 2 "$CLI_TESTS/data/three.csv" >two
cmp one two && wc -l <one
sed 's/:.*//' one
$TEMPER audit -q --t1 0.3 --json --threshold 1.1 "$CLI_TESTS/data/three.csv"
# The ends of the range of each score, below it and above it.
$TEMPER audit -q --t1 0.3 --json --top 3 "$CLI_TESTS/data/two.csv" 2>/dev/null |
    tr -d '{}"' | awk -F '[:,] *' '{ for (i = 1; i < NF; i += 2) v[$i] = $(i + 1)
        print (v["low"] <= v["score"] && v["score"] <= v["high"] ? "within" : "outside") }'
grep -c low one
