#!/usr/bin/env bash
# A part of the path is a file.
touch file
$TEMPER plot losses -o file/figure.svg
