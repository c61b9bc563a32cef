#!/usr/bin/env bash
# Weights along penalties: every feature is named, and every step is in the lines.
data=$CLI_TESTS/data
$TEMPER plot path -q "$data/two.csv" --steps 7 --l2 1e-3,1 -o path.svg
for word in '<svg' 'Weights along the penalty' 'width' 'height' 'age' 'Accuracy' '10'; do
    grep -c -m 1 -- "$word" path.svg
done
# A line of a feature has as many corners as there are penalties.
grep -A 1 '<title>width</title>' path.svg | grep -o '[ML][0-9.-]* [0-9.-]*' | wc -l
$TEMPER plot path -q "$data/two.csv" --steps 7 --l2 1e-3,1 | cmp - path.svg
$TEMPER plot path -q "$data/two.csv" --steps 7 --l2 1e-3,1 --threads 1 | cmp - path.svg
$TEMPER plot path -q "$data/two.csv" --steps 7 --l2 1e-3,1 --loss logistic | cmp -s - path.svg ||
    echo "another loss, another path"
# Three classes have weights of their own.
$TEMPER plot path -q "$data/three.csv" --steps 3 -o three.svg
grep -c -m 1 '→' three.svg
# Sparse rows, and the standard input.
$TEMPER plot path -q - --format libsvm --steps 3 <"$data/sparse.svm" >sparse.svg
grep -c -m 1 'feature ' sparse.svg
ls
