#!/usr/bin/env bash
# No such file, not a model, not its data, no room, no reader: an old result stays.
[ -c /dev/full ] || skip "needs /dev/full"
cp "$CLI_TESTS/data/two.csv" .
data=two.csv
train_on two.csv model.temper
echo old >out
try() { temper_exit predict -q "$@" -o out; }
try -m nowhere.temper "$data"
try -m "$data" "$data"
head -n 5 model.temper >cut.temper
try -m cut.temper "$data"
try -m model.temper nowhere.csv
printf 'width,height,age,kind\n1,2,3,cat\n1,x,3,dog\n' >bad.csv
try -m model.temper bad.csv
printf '1,2\n3,4\n' >narrow.csv
try -m model.temper narrow.csv
cat out
temper_exit predict -q -m model.temper "$data" -o /dev/full
temper_exit predict -q -m model.temper "$data" -o nowhere/out
$TEMPER predict -q -m model.temper "$data" >/dev/full
echo "exit $?"
exec 3> >(:)
wait $!
$TEMPER predict -q -m model.temper "$data" >&3
echo "exit $?"
ls -A
