#!/usr/bin/env bash
# A file that may not be written to is not replaced, though its folder would allow it.
echo old >figure.svg
become_unprivileged
chmod 444 figure.svg
temper_as_nobody plot losses -o figure.svg
echo "exit $?"
cat figure.svg
ls -A
