#!/usr/bin/env bash
# Refused before anything is read, where that can be known; and an old model stays.
[ -c /dev/full ] || skip "needs /dev/full"
cp "$CLI_TESTS/data/two.csv" .
mkdir folder readonly
echo old >readonly/model.temper
echo old >model.temper
temper_exit train -q two.csv -m nowhere/model.temper
temper_exit train -q nowhere.csv -m nowhere/model.temper
temper_exit train -q two.csv -m folder
temper_exit train -q two.csv -m model.temper --checkpoint nowhere/state
temper_exit train -q two.csv -m /dev/full
(ulimit -f 1 && temper_exit train -q "$CLI_TESTS/data/topics.svm" --type f64 -m model.temper)
become_unprivileged
chmod 555 readonly
temper_as_nobody train -q two.csv -m readonly/model.temper
echo "exit $?"
cat readonly/model.temper model.temper
ls -A . readonly
