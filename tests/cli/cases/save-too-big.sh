#!/usr/bin/env bash
# Writing fails in the middle: the old file is as it was, and the temporary one is gone.
echo old >figure.svg
(ulimit -f 1 && $TEMPER plot losses -o figure.svg)
echo "exit $?"
cat figure.svg
ls -A
