#!/usr/bin/env bash
# Standard input; a report that nobody reads, or that has no room; the model is there all the same.
data=$CLI_TESTS/data/two.csv
$TEMPER train -q - -m input.temper <"$data" >/dev/null
train_on two.csv file.temper
cmp input.temper file.temper && echo "the same model"
exec 3> >(:)
wait $!
$TEMPER train -q "$data" -m pipe.temper >&3
echo "exit $?"
cmp pipe.temper file.temper && echo "the same model"
[ ! -c /dev/full ] || $TEMPER train -q "$data" -m full.temper >/dev/full
echo "exit $?"
