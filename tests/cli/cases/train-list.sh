#!/usr/bin/env bash
# Several files as one: @LIST in the place of DATA.
head -n 40 "$CLI_TESTS/data/two.csv" >a.csv
{ head -n 1 "$CLI_TESTS/data/two.csv"; tail -n +41 "$CLI_TESTS/data/two.csv"; } >b.csv
printf 'a.csv\nb.csv\n' >parts.txt
printf 'a.csv\nc.csv\n' >lost.txt
cp "$CLI_TESTS/data/two.csv" two.csv
options=(-q --header yes --format csv --label kind)
$TEMPER train two.csv "${options[@]}" >/dev/null
$TEMPER train @parts.txt "${options[@]}" | grep -E "^(rows|model)"
cmp two.csv.temper parts.txt.temper && echo "the same model"
$TEMPER convert @parts.txt all.tmpr -q "${options[@]:1}" && $TEMPER info -q all.tmpr | head -2
$TEMPER train @lost.txt "${options[@]}"
echo "exit $?"
$TEMPER predict -q -m two.csv.temper two.csv >expected
$TEMPER predict -q -m two.csv.temper @parts.txt | cmp expected - && echo "the same predictions"
$TEMPER predict --strict -m two.csv.temper @parts.txt
echo "exit $?"
$TEMPER train @parts.txt "${options[@]}" --labels labels
echo "exit $?"
$TEMPER train @parts.txt "${options[@]}" -m parts.txt
echo "exit $?"
