#!/usr/bin/env bash
# Rows are asked for, labelled and given back; then they decide. So do rows of another file.
small=(--folds 3 --grid "t1=0.1,1 t2=1,1.9 l2=0.01x,10x")
tune() { $TEMPER tune -q "$CLI_TESTS/data/three.csv" -m model "${small[@]}" "$@" 2>&1; }
tune --ask 4 | grep "^to label" | sed 's/[0-9] rows*/N rows/'
head -n 1 model.ask.csv
tail -n +2 model.ask.csv | cut -d , -f 3 | sort -u
tune --trusted model.ask.csv || echo "exit $?"
sed -i '2,$s/\([^,]*\),\([^,]*\),/\1,\2,\2/' model.ask.csv
tune --trusted model.ask.csv | grep "^decided" | cut -c 1-27
sed '2s/[a-z]*$/mauve/' model.ask.csv >wrong.csv
tune --trusted wrong.csv
sed '2s/^[0-9]*/91/' model.ask.csv >wrong.csv
tune --trusted wrong.csv
printf 'row,given,label\n7\n' >wrong.csv
tune --trusted wrong.csv
printf 'row,given,label\r\n7,"blue","blue"\r\n\r\n8,blue,\r\n' >quoted.csv
tune --trusted quoted.csv | grep -o "the 1 trusted rows"
tune --trusted "$CLI_TESTS/data/three.csv" | grep "^decided" | cut -c 1-27
tune --ask 2 --ask-output elsewhere.csv | grep -o "in elsewhere.csv"
