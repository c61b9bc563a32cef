#!/usr/bin/env bash
# One object, with fixed names; only the times differ from run to run.
printf 'x,y,"a ""b""",kind\n1,2,2,caf\xc3\xa9\n3,0,0,b\xff\\\n5,6,6,caf\xc3\xa9\n' >data.csv
$TEMPER info --json --weights x data.csv | sed -E 's/(read|summary)": [0-9.e-]+/\1": T/g'
