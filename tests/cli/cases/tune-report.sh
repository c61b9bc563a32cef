#!/usr/bin/env bash
# A page with two maps, or one map alone.
tune() { $TEMPER tune -q "$CLI_TESTS/data/two.csv" -m model --folds 3 --grid "t1=0.5 t2=1 l2=0.1x,10x" "$@" >/dev/null; }
tune --report page.html
tune --report map.svg
grep -o "<svg" page.html | wc -l
grep -o "<title>[^<]*" page.html map.svg
head -c 4 map.svg
echo
grep -o "A heat map[^<]*largest" map.svg
