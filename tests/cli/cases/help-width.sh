#!/usr/bin/env bash
# No line of any help is wider than a terminal, and none ends in a blank.
for command in train predict eval plot demo info convert noise help version documents; do
    $TEMPER help $command
done >all
$TEMPER help >>all
grep -nE '.{80}| $' all
