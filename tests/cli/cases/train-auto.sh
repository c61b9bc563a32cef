#!/usr/bin/env bash
# Temperatures that are chosen; what is given stays.
cp "$CLI_TESTS/data/two.csv" .
train() { $TEMPER train two.csv -m model --header yes --format csv --label kind "$@"; }
train --t1 auto --t2 auto --l2 0.006 2>&1 | grep -E "^(l2|temper: note: temp)" | cut -c 1-80
train -q --t1 auto --l2 0.006 | grep -E "^(loss|l2)" | sed 's/t1 = [0-9.]*/t1 = N/'
train -q --loss t-logistic --t2 auto | grep -E "^loss" | sed 's/t2 = [0-9.]*/t2 = N/'
train -q --t2 auto --t1 0.7 --json | grep -E '"t1"'
