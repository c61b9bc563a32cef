#!/usr/bin/env bash
# A link to what is not there yet: the file is made where the link points.
mkdir folder
ln -s folder/new.svg link.svg
$TEMPER plot losses -o link.svg
head -c 4 folder/new.svg && echo
find . -printf '%y %P %l\n' | LC_ALL=C sort
