#!/usr/bin/env bash
# A name as long as names can be leaves no room to make the temporary one longer.
name=$(printf 'x%.0s' $(seq 255))
$TEMPER plot losses -o "$name"
find . -type f -printf '%f' | wc -c
