#!/usr/bin/env bash
# Formats that keep labels in a second file: both appear, or neither.
printf '1,2,0\n3,4,7\n' >data.csv
$TEMPER convert --header no --label 3 --format csv data.csv x.npy
$TEMPER convert -q data.csv y-images-idx3-ubyte
cat x.npy.labels
$TEMPER convert -q --labels x.npy.labels x.npy - --to libsvm
$TEMPER convert x.npy - --to libsvm
$TEMPER convert -q --label none x.npy - --to libsvm
gzip x.npy && $TEMPER info --json x.npy.gz | grep '"classes"'
$TEMPER convert -q y-images-idx3-ubyte - --to libsvm
printf '1,2,a\n3,4,b\n' >text.csv
temper_exit convert -q text.csv z-images-idx3-ubyte
temper_exit convert -q text.csv - --to npy
temper_exit convert -q text.csv /dev/stdout --to npy
printf '1,2,a\n3,4," b"\n' >blank.csv
temper_exit convert -q blank.csv z.npy
ls
