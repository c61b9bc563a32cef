#!/usr/bin/env bash
# A checkpoint replaces no file of another kind, and a device without an end is neither a checkpoint nor a list of files.
cp "$CLI_TESTS/data/three.csv" .
cp three.csv kept.csv
try() {
    $TEMPER "$@" 2>&1 >/dev/null | grep -v '^temper: note:'
    echo "exit ${PIPESTATUS[0]}"
}
try train three.csv -m m --checkpoint kept.csv
try tune three.csv -m m --checkpoint kept.csv
cmp three.csv kept.csv && echo "intact"
: >empty.state
try train three.csv -q -m m --checkpoint empty.state
try train three.csv -q -m m --checkpoint empty.state
try train three.csv -q -m m --checkpoint /dev/zero --resume
try tune three.csv -q -m m --checkpoint /dev/zero --resume
try info @/dev/zero
