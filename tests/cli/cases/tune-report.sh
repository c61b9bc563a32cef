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
# Each loss by its own name, and the correction only where the choice is that of highest accuracy.
for loss in "loss=tempered t1=0.5 t2=1" "loss=bregman t1=0.5 t2=1.5" "loss=hinge:0.5" "loss=forward"; do
    tune --grid "$loss l2=1x only" --report page.html
    grep -o "Chosen: .*, l2" page.html
    grep -c "corrected for having chosen" page.html
done
$TEMPER tune -q "$CLI_TESTS/data/two.csv" -m model --folds 3 --criterion log-loss --grid "loss=logistic l2=1e-3x,1x,1e3x only" \
    --report page.html --json | grep -oE '"(number|by_accuracy)": [0-9]+'
grep -c "corrected for having chosen" page.html || true
