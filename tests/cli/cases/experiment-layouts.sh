#!/usr/bin/env bash
# Every data set of the paper is read from files in its official layout, with the classes that it is
# known to need, and instance noise finds rows of the others.
need awk gzip
hide() { # accuracies: they are not what this is about
    sed -E 's/ +[0-9]+\.[0-9]{2}$/  A/'
}
# shellcheck disable=SC1091 # read by itself
source "$CLI_TESTS/data/official.sh"
official_fashion
official_cifar
official_covtype
official_fonts
$TEMPER experiment figure2 --data data --splits 1 --folds 2 --rates 0.2 --grid l2=1e-3 \
    --methods logistic --threads 1 | hide
grep -o '"set": "[a-z0-9-]*".*"classes": [^,]*' temper-figure2.jsonl | cut -d, -f1-3 | sort -u
grep -c '"changed": 0' temper-figure2.jsonl # none is clean
echo "one set, other classes:"
$TEMPER experiment table1 -q --data data --sets fonts --classes AGENCY,TIMES --splits 1 --folds 2 \
    --grid l2=1e-3 --methods logistic --noise random --threads 1 | hide
$TEMPER experiment table1 -q --data data --sets fonts --classes AGENCY,NONE --splits 1 --folds 2 \
    --grid l2=1e-3 --methods logistic --noise random --threads 1
echo "exit $?"
