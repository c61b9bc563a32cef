#!/usr/bin/env bash
# A new file has the mode that the umask leaves.
for mask in 022 077 002; do
    (umask $mask && $TEMPER plot losses -o $mask.svg)
done
stat -c '%A %n' ./*.svg
