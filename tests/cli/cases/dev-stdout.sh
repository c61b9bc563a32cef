#!/usr/bin/env bash
# /dev/stdout, whatever it is: a pipe, a file, a file that is added to, a pipe without a reader.
$TEMPER plot losses >expected.svg
$TEMPER plot losses -o /dev/stdout | cmp - expected.svg
$TEMPER plot losses -o /dev/stdout >file.svg
cmp file.svg expected.svg
cp expected.svg added.svg
$TEMPER plot losses -o /dev/stdout >>added.svg
cat expected.svg expected.svg | cmp - added.svg
exec 3> >(:)
wait $!
$TEMPER plot losses -o /dev/stdout >&3
