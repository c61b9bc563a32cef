#!/usr/bin/env bash
for list in '' ',' '1,' ',1' 1,,2 '1;2' 1,nan; do
    temper_exit plot losses --temperatures "$list"
done
