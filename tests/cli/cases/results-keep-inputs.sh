#!/usr/bin/env bash
# No result replaces a file that the command reads, nor another result, under any name of it.
for i in 1 2 3 4 5 6 7 8; do echo "$i,$((i * 7 % 5)),$((i % 2))"; done >data.csv
cp data.csv other.csv
ln -s data.csv link.csv
ln data.csv hard.csv
printf 'data.csv\nother.csv\n' >parts.txt
printf '0.9,0.1\n0.1,0.9\n' >matrix.csv
$TEMPER train data.csv -m model --quiet >train.txt
mkdir sub
cksum data.csv other.csv parts.txt matrix.csv model >before

refused()
{
    $TEMPER "$@" --quiet
    echo "$? temper $*"
}
refused train data.csv -m ./data.csv
refused train data.csv -m link.csv
refused train data.csv -m hard.csv
refused train @parts.txt -m parts.txt
refused train @parts.txt -m other.csv
refused tune @parts.txt -m data.csv
refused audit @parts.txt -o other.csv
mkdir parts && cp data.csv parts/one.csv
refused train parts -m parts/one.csv
refused train 'parts/*.csv' -m parts/one.csv
refused predict data.csv -m model -o data.csv
refused predict data.csv -m model -o model
refused plot report data.csv -m model -o data.csv
refused plot report data.csv -m model -o sub/../model
refused noise data.csv -o hard.csv
refused noise data.csv --kind matrix --matrix matrix.csv -o matrix.csv
refused audit data.csv --proba other.csv --report other.csv
refused tune data.csv -m out --report out
refused tune data.csv -m out --report sub/../out
refused tune data.csv -m out --report out.tuning
refused tune data.csv -m out --ask 2 --report out.ask.csv
refused tune data.csv --report data.csv.temper
refused train data.csv -m out --checkpoint ./out
refused audit data.csv -o q --report q
refused audit data.csv --fix f -o f
# A link to another result, which does not exist yet.
ln -s not-yet ahead
refused audit data.csv -o ahead --report not-yet
cp data.csv y.npy.labels
refused convert y.npy.labels y.npy
cksum data.csv other.csv parts.txt matrix.csv model | cmp - before && cmp data.csv y.npy.labels
ls
# A model may be replaced by the one that is trained from it, and convert may write what it reads.
$TEMPER train data.csv -m model --warm-start model --quiet >train.txt && echo trained
$TEMPER convert other.csv other.csv --quiet && echo converted
