#!/usr/bin/env bash
# Numbers and labels lie in two files: both are new, or both are as they were.
seq -f '%g,a' 2000 >data.csv && seq -f '%g,b' 2000 >>data.csv
old() { # old FOLDER DATA LABELS: files of an earlier run
    mkdir -p "$1"
    echo "old data" >"$1/$2"
    echo "old labels" >"$1/$3"
}

echo "a limit on the size of files, which the labels keep to"
old limit x.npy x.npy.labels
(ulimit -f 12 && temper_exit convert -q data.csv limit/x.npy)
head limit/* && ls -A limit

echo "labels that fail"
old labels x-images-idx3-ubyte x-labels-idx1-ubyte
temper_exit convert -q data.csv labels/x-images-idx3-ubyte
head labels/* && ls -A labels

echo "labels of older data are not taken for those of data without"
printf '1:1 2:3\n1:3\n' >none.svm
old stale x.npy x.npy.labels
temper_exit convert -q none.svm stale/x.npy
head stale/*
rm stale/x.npy.labels
temper_exit convert -q none.svm stale/x.npy && ls stale
