#!/usr/bin/env bash
# The reader has gone before anything is written.
exec 3> >(:)
wait $!
for command in 'plot losses' help version; do
    # shellcheck disable=SC2086 # two words
    $TEMPER $command >&3
    echo "exit $?"
done
