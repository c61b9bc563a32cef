#!/usr/bin/env bash
[ -c /dev/full ] || skip "needs /dev/full"
for command in 'plot losses' 'help plot' --help version; do
    # shellcheck disable=SC2086 # two words
    $TEMPER $command >/dev/full
    echo "exit $?"
done
$TEMPER plot losses -o /dev/full
