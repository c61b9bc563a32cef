#!/usr/bin/env bash
# The strongest features of a model, and what decided each row, in every form.
awk 'BEGIN {
    split("red green blue", colour, " ")
    print "age,colour,member,joined,income,bought"
    for (i = 0; i < 120; i++) {
        age = 20 + i * 7 % 50
        print age "," colour[1 + i * 5 % 3] "," (i % 2 ? "yes" : "no") ",2020-" 1 + i % 12 "-" 1 + i % 28 "," \
            (i % 3 ? 1000 + i * 31 % 977 : "") "," (age > 40 ? "yes" : "no")
    }
}' >shop.csv
$TEMPER train -q shop.csv -m model.temper >report
printf '%s\n' age,colour,member,joined,income 33,red,yes,2020-3-4, 60,pink,,2020-11-5,1200 >new.csv
$TEMPER explain -m model.temper --top 4
echo
$TEMPER explain -q -m model.temper new.csv --top 3
echo
$TEMPER explain -q -m model.temper new.csv --top 2 --output csv | sed 's/\(\.[0-9][0-9][0-9]\)[0-9]*/\1/g'
echo
$TEMPER explain -q -m model.temper new.csv --top 2 --output jsonl | sed 's/\(\.[0-9][0-9][0-9]\)[0-9]*/\1/g'
echo
$TEMPER explain -q -m model.temper new.csv --top 1 --json | sed 's/\(\.[0-9][0-9][0-9]\)[0-9]*/\1/g'
echo
$TEMPER explain -q -m model.temper --top 1 --json | sed 's/\(\.[0-9][0-9][0-9]\)[0-9]*/\1/g'
$TEMPER explain -m model.temper --output csv -o effects.csv && head -n 1 effects.csv && wc -l <effects.csv
# Three classes, and a model that was not scaled.
train_on three.csv three.temper --scale none
$TEMPER explain -m three.temper --top 1
# Nothing is written over an input, or half.
$TEMPER explain -m model.temper -o model.temper || echo "exit $?"
$TEMPER explain -m model.temper shop.csv --report shop.csv || echo "exit $?"
$TEMPER explain -m model.temper --json --output csv || echo "exit $?"
$TEMPER explain -m model.temper --report page.html -o list || echo "exit $?"
$TEMPER explain shop.csv || echo "exit $?"
$TEMPER explain -m model.temper nothing.csv -o list || echo "exit $?"
echo a,b >other.csv
$TEMPER explain -q -m model.temper other.csv -o list || echo "exit $?"
[ ! -e list ] && echo "no list"
$TEMPER explain -q -m model.temper shop.csv --report page.html && grep -c '<svg' page.html
$TEMPER explain -m three.temper --report page.html && grep -c '<svg' page.html
