#!/usr/bin/env bash
# No data, no records: a page with one picture.
$TEMPER experiment figure1
ls
grep -c '<svg' temper-figure1.html
