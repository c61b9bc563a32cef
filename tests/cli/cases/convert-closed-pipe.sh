#!/usr/bin/env bash
# The library writes here; a reader that has gone ends it as quietly.
exec 3> >(:)
wait $!
$TEMPER convert -q "$CLI_TESTS/data/three.csv" - --to csv >&3
echo "exit $?"
