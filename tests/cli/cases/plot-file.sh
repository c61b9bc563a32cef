#!/usr/bin/env bash
# Every spelling of an option that takes a value; nothing but the files is left.
$TEMPER plot losses >expected.svg
$TEMPER plot losses -o short.svg
$TEMPER plot losses -oglued.svg
$TEMPER plot --output long.svg losses
$TEMPER plot --output=equals.svg losses
for name in short glued long equals; do
    cmp $name.svg expected.svg
done
ls -A
