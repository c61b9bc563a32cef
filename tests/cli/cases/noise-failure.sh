#!/usr/bin/env bash
# Noisy data and the list of its changes: both are new, or both are as they were.
seq -f '%g,a' 2000 >data.csv && seq -f '%g,b' 2000 >>data.csv
old() { # old FOLDER: files of an earlier run
    mkdir -p "$1"
    echo "old data" >"$1/out.csv"
    echo "old list" >"$1/out.csv.changes.csv"
}
noise() { # noise OUT ARGUMENT...
    temper_exit noise -q data.csv --kind pair --rate 0.001 -o "$@"
}

echo "a limit on the size of files, which the list keeps to"
old limit
(ulimit -f 4 && noise limit/out.csv)
head limit/* && ls -A limit

echo "a device, beside which there is no place for a list"
mkdir full && ln -s /dev/full full/out.csv && echo "old list" >full/out.csv.changes.csv
noise full/out.csv
head full/*.changes.csv && ls -A full

echo "a folder in the place of the list, and one in that of the data"
mkdir -p first/out.csv.changes.csv second/out.csv && echo "old data" >first/out.csv
noise first/out.csv
noise second/out.csv
head first/out.csv && ls -A first second second/out.csv

echo "a list that may not be written, and a folder"
old list && old folder
chmod 444 list/out.csv.changes.csv && chmod 555 folder
become_unprivileged
for folder in list folder; do
    temper_as_nobody noise -q data.csv --kind pair --rate 0.001 -o $folder/out.csv
    echo "exit $?"
    head $folder/* && ls -A $folder
done

echo "numbers, their labels and the list"
noise all.npy && ls all*
