#!/usr/bin/env bash
# As many classes as fit on a screen; the others are counted.
for i in $(seq 30); do echo "class$i 1:$i"; done >many.svm
$TEMPER info -q many.svm
