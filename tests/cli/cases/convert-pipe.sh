#!/usr/bin/env bash
# From the standard input to the standard output.
printf '1 1:1 3:2\n-1 2:1\n' | $TEMPER convert -q - - --to csv
printf '1 1:1 3:2\n-1 2:1\n' | $TEMPER convert -q - - --to tmpr | $TEMPER convert -q - - --to libsvm
temper_exit convert - - </dev/null
