#!/usr/bin/env bash
# Texts that come in another order are the same features: the loss on the validation rows is that of eval.
printf 'a,colour,y\n1,red,yes\n2,blue,no\n3,red,yes\n-1,green,no\n0,blue,no\n2,green,yes\n' >fit.csv
{ head -n 1 fit.csv && tail -n 6 fit.csv | tac; } >valid.csv
$TEMPER train -q --json fit.csv --categorical colour -m model.temper --valid valid.csv |
    sed -n 's/.*"validation": \([^,]*\),/loss \1/p' | steady
$TEMPER eval -q --json -m model.temper valid.csv | sed -n 's/.*"loss": \([^,]*\),/loss \1/p' | steady
sed 's/colour/tone/' valid.csv >other.csv
temper_exit train -q fit.csv --categorical colour -m model.temper --valid other.csv
