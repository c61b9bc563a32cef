#!/usr/bin/env bash
# A pipe is written to, never replaced.
$TEMPER plot losses >expected.svg
mkfifo pipe
$TEMPER plot losses -o pipe &
cmp pipe expected.svg
wait $!
echo "exit $?"
test -p pipe && echo "still a pipe"
ls -A
