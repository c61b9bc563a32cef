#!/usr/bin/env bash
# A symbolic link is followed: the file behind it is replaced, the link stays.
mkdir -p folder/links
echo old >folder/target.svg
ln -s ../target.svg folder/links/link.svg
ln -s folder/links/link.svg outer.svg
$TEMPER plot losses -o outer.svg
head -c 4 folder/target.svg && echo
find . -printf '%y %P %l\n' | LC_ALL=C sort
