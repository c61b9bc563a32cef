#!/usr/bin/env bash
# The other experiments, on rows that everything gets right: starts, times, and what a choice costs.
need awk gzip
# shellcheck disable=SC1091 # read by itself
source "$CLI_TESTS/data/official.sh"
official_covtype
small=(-q --data data --sets covtype --splits 2 --threads 1)
$TEMPER experiment starts "${small[@]}" --deviations 0,0.01 --methods tempered
$TEMPER experiment table2 "${small[@]}" --methods logistic,tempered:0.5:1.5 |
    sed -E 's/[0-9]+\.[0-9]{3}/S/g'
$TEMPER experiment selection "${small[@]}" --rates 0,0.1 --noise random \
    --grid "t1=0.1,1 t2=1,1.12 l2=1e-3,1e-2 only" --folds 2 |
    sed -E 's/[0-9]+\.[0-9]{2}/R/g'
$TEMPER experiment selection "${small[@]}" --rates 0,0.1 --noise random \
    --grid "t1=0.1,1 t2=1,1.12 l2=1e-3,1e-2 only" --folds 2 --json | head -4
$TEMPER experiment figure2 "${small[@]}" --rates 0,0.2 --folds 2 --methods logistic,tempered \
    --grid "t1=0.1 t2=1.12 l2=1e-3" >/dev/null
grep -c '<svg' temper-figure2.html
grep -c '<table>' temper-*.html
