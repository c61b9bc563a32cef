#!/usr/bin/env bash
mkdir folder
ln -s "$PWD/folder/new.svg" link.svg
$TEMPER plot losses -o link.svg
head -c 4 folder/new.svg && echo
