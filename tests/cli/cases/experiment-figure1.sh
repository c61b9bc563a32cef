#!/usr/bin/env bash
# No data, no records: a page with one picture; --quick and --data of the other experiments are accepted.
$TEMPER experiment figure1
ls
grep -c '<svg' temper-figure1.html
$TEMPER experiment figure1 -q --quick --data nowhere --report other.html
cmp <(grep -v 'temper experiment' temper-figure1.html) <(grep -v 'temper experiment' other.html) && echo "the same page"
