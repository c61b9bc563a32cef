#!/usr/bin/env bash
# An old file is replaced whole, and keeps its mode.
echo "something old, which is much longer than nothing" >figure.svg
chmod 640 figure.svg
$TEMPER plot losses -o figure.svg
head -c 4 figure.svg && echo
stat -c '%A %n' figure.svg
ls -A
