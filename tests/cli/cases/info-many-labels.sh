#!/usr/bin/env bash
# A million labels, and none of them twice: this is not the label.
seq -f '%.0f 1:1' 1000000 >labels.svm
seq -f '1,%.0f' 1000000 >labels.csv
for file in labels.svm labels.csv; do
    temper_exit info "$file"
    temper_exit convert "$file" out.tmpr
done
ls
