#!/usr/bin/env bash
# Processes that share a file of results: none loses what another has measured, and no cell is in it twice.
need awk gzip
# shellcheck disable=SC1091 # read by itself
source "$CLI_TESTS/data/official.sh"
official_covtype
run() { # run NAME METHODS NOISE: three splits
    $TEMPER experiment table1 -q --data data --sets covtype --splits 3 --folds 2 --rates 0.1 --noise "$3" \
        --methods "$2" --threads 1 --grid "t1=0.1,0.5 t2=1.12 l2=1e-3,1e-2" --records all.jsonl --report "$1.html" \
        >"$1.txt"
}
count() { # lines of the file, different keys, lines that are no results
    wc -l <all.jsonl
    sed 's/^{"key": "\([^"]*\)".*/\1/' all.jsonl | sort -u | wc -l
    grep -vc '^{"key": .*}$' all.jsonl
}
echo "four plans at once"
for method in hinge logistic t-logistic tempered; do
    run $method $method random &
done
wait
count
echo "one plan twice at once"
run first hinge,logistic,t-logistic,tempered random,pair &
run second hinge,logistic,t-logistic,tempered random,pair
wait
count
cmp first.txt second.txt && echo "the same table"
