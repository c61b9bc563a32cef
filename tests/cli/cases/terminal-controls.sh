#!/usr/bin/env bash
# Escape sequences in names of classes, columns and files do not reach a terminal; a pipe gets every byte.
command -v script >/dev/null || { echo "script is not there" >&2 && exit 77; }
red=$'\033[31mred' csi=$'\302\23331mcsi'
{
    echo "a,b,y"
    for i in 1 2 3 4 5 6 7 8; do
        echo "$i,$((i % 3)),$red"
        echo "-$i,$((i % 3)),$csi"
    done
} >names.csv
$TEMPER train names.csv -m names.temper -q >train.txt
on_terminal() { # on_terminal COMMAND: control characters of what it prints, except those of lines
    script -qec "$1" /dev/null </dev/null >shown
    grep -c 'red' shown
    tr -d '\r\n\t[:print:]' <shown | od -An -c
}
for command in "predict -m names.temper names.csv" "eval -m names.temper names.csv" "info names.csv" \
    "explain -m names.temper" "audit names.csv --top 3"; do
    echo "$command: $(on_terminal "NO_COLOR=1 $TEMPER $command -q 2>/dev/null")"
done
$TEMPER predict -q -m names.temper names.csv | sort | uniq -c | od -An -c
