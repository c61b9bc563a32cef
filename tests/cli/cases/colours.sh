#!/usr/bin/env bash
# Lines on a terminal have colours, unless NO_COLOR or the terminal says otherwise; elsewhere there are none.
command -v script >/dev/null || { echo "script is not there" >&2 && exit 77; }
printf 'a,b\n1\n' >ragged.csv
on_terminal() { # on_terminal VARIABLE...: the first characters of the message, escape characters as ^
    env "$@" script -qec "$TEMPER info --strict ragged.csv" /dev/null </dev/null | tr '\033' '^' | head -n 1 | cut -c1-22
}
on_terminal TERM=xterm
on_terminal TERM=xterm NO_COLOR=1
on_terminal TERM=xterm NO_COLOR=
on_terminal TERM=dumb
TERM=xterm $TEMPER info --strict ragged.csv 2>&1 | cut -c1-22
