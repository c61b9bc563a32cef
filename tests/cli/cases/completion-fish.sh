#!/usr/bin/env bash
# fish offers what it should.
need fish
documents
fish --no-execute documents/temper.fish
# shellcheck disable=SC2016 # fish expands it
fish --no-config -c 'source documents/temper.fish
for line in "temper " "temper pl" "temper plot " "temper plot --t" "temper plot --losses hinge,b" \
    "temper plot -o doc" "temper help p"
    echo "$line:" (complete -C $line | string replace -r "\t.*" "")
end'
