#!/usr/bin/env bash
# Data that is probably not what was meant: a word, with what to do.
classes() { grep -E '^(temper|classes|exit)'; }
{ echo target,a,b && for i in $(seq 60); do echo "$((i % 2)),$i,$((i * 7 % 61)).5"; done; } >last.csv
{ echo y,a,b && for i in $(seq 60); do echo "$((i % 3 > 0 ? 1 : 0)),$((i % 5)),$i"; done; } >whole.csv
sed 's/^1,/yes,/; s/^0,/no,/' whole.csv >first.csv
{ echo a,y && for i in $(seq 40); do echo "$i,c$((i % 24))"; done; } >text.csv
{ echo a,y && for i in $(seq 60); do echo "$i,c$((i % 24))"; done; } >enough.csv

# The last column is a number; named, it is taken.
temper_exit train -q --strict last.csv
temper_exit train -q whole.csv
temper_exit train -q text.csv
$TEMPER train -q enough.csv 2>&1 | classes
$TEMPER train -q whole.csv --label b --max-iter 3 2>&1 | classes | head -n 1
$TEMPER train -q last.csv --label target 2>&1 | classes

# The label comes first, as text; or has another case, or another name.
temper_exit train -q first.csv
temper_exit train -q first.csv --label Y
temper_exit train -q first.csv --label label
$TEMPER train -q --strict first.csv --label y -m first.temper 2>&1 | classes

# Text where the model has numbers, as first row, later, and where a header may be meant.
printf 'a,b\nred,1\n' >new.csv
temper_exit predict -q --strict new.csv -m first.temper
printf 'red,1\n2,3\n' >new.csv
temper_exit predict -q --strict new.csv -m first.temper

# Labels that are nearly the same.
sed '7s/^[a-z]*,/ No,/; 9s/^[a-z]*,/"y es",/' first.csv >alike.csv
$TEMPER train -q alike.csv --label y 2>&1 | classes

# One value that is far from all others; but not the one value that is not 0.
sed '5s/,[0-9]*$/,99999999/' first.csv >far.csv
$TEMPER train -q far.csv --label y 2>&1 | classes
sed -E '2,$s/,[0-9]+$/,0/; 5s/,0$/,7/' first.csv >indicator.csv
$TEMPER train -q indicator.csv --label y 2>&1 | classes
