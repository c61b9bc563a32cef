#!/usr/bin/env bash
# What cannot be read or written leaves what was there, and nothing else.
printf '1 1:1\n-1 1:nan\n' >bad.svm
printf '1 1:1\n-1 1:2\n' >good.svm
echo old >out.tmpr
temper_exit convert bad.svm out.tmpr
temper_exit convert good.svm nowhere/out.tmpr
temper_exit convert good.svm out.xyz
temper_exit convert good.svm out.bin
temper_exit convert nowhere.temper out.onnx
temper_exit convert -q good.svm /dev/full --to libsvm
temper_exit convert -q good.svm out.csv.gz
temper_exit convert -q good.svm ''
mkdir folder && temper_exit convert -q good.svm folder
temper_exit convert -q good.svm /dev/null --to npy
cat out.tmpr
ls
