#!/usr/bin/env bash
# Nothing is overwritten, and nothing is left after a failure.
cp "$CLI_TESTS/data/two.csv" .
temper_exit split two.csv --train two.csv
temper_exit split two.csv --test ./two.csv
temper_exit split two.csv --train a.csv --test a.csv
temper_exit split two.csv --train a.csv --test ./a.csv
temper_exit split two.csv --train a.csv --test nowhere/b.csv
temper_exit split two.csv --train a.csv --test b.csv -o c
temper_exit split two.csv --folds 3 --train a.csv
temper_exit split two.csv --folds 3 --share 0.5
temper_exit split two.csv --folds 1
temper_exit split two.csv --share 0
temper_exit split two.csv --share 0.001
temper_exit split two.csv --label nothing
temper_exit split none.csv
temper_exit split - <two.csv
head -n 2 two.csv >one.csv
temper_exit split one.csv
printf 'x,y\n1,a\n"2,b\n' >quotes.csv
temper_exit split quotes.csv --header yes
printf 'x,y\n1,a\n2,b,c\n3,a\n4,b\n' >ragged.csv
temper_exit split ragged.csv --header yes --label y
printf '{"a": 1}\n{"a": 2\n{"a": 3}\n{"a": 1}\n' >broken.jsonl
temper_exit split broken.jsonl
ls
yes a | head -n 80 >labels.txt
temper_exit split two.csv --labels labels.txt
temper_exit split two.csv --train two.test.csv
cp two.csv x.fold1.train.csv
temper_exit split x.fold1.train.csv -o x --folds 2
cmp two.csv x.fold1.train.csv
