#!/usr/bin/env bash
# A table with counts of rows, names, categories, booleans, dates, amounts, gaps and rows without a label trains at the
# first try; the model treats other tables alike; --strict refuses it.
{
    echo '"",who,island,ok,day,price,x,kind'
    for i in $(seq 60); do
        printf '"%d",person %d,%s,%s,2024-%02d-%02d,"%d,%03d.50",%s,%s\n' "$i" "$i" \
            "$([ $((i % 3)) = 0 ] && echo Biscoe || echo Dream)" "$([ $((i % 4)) = 0 ] && echo No || echo yes)" \
            $((i % 12 + 1)) $((i % 28 + 1)) $((i % 5 + 1)) $((i * 7)) \
            "$([ $((i % 10)) = 0 ] && echo None || echo $((i * 37 % 41)))" \
            "$([ $((i % 20)) = 7 ] || { [ $((i * 37 % 41)) -gt 20 ] && echo high || echo low; })"
    done
} >messy.csv
$TEMPER train messy.csv -m model | grep -v seconds
grep -A 8 '"schema"' model
$TEMPER predict -q -m model messy.csv | sort | uniq -c
$TEMPER eval -q -m model messy.csv | head -n 2
# Another order, an unknown category, an odd cell.
printf 'x,price,day,ok,island\n30,"1,000",1 May 2024,YES,Mars\nwhat,?,,,\n' >new.csv
$TEMPER predict -m model new.csv
temper_exit train -q --strict messy.csv -m model
