#!/usr/bin/env bash
# Names that are long, or that play with the terminal, stay in their column.
printf '%s 1:1\n\033[31mred 1:2\ngr\xc3\xbcn 1:3\n' "$(printf 'x%.0s' {1..60})" >names.svm
$TEMPER info -q names.svm
