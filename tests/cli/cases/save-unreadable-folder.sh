#!/usr/bin/env bash
# A folder that may be written to and not read cannot be synced; the file is saved all the same.
mkdir folder
become_unprivileged
chmod 333 folder
temper_as_nobody plot losses -o folder/figure.svg
echo "exit $?"
chmod 755 folder
head -c 4 folder/figure.svg && echo
