#!/usr/bin/env bash
# A table to split, and new rows; the model of a block is there if blocks before it change.
"$ROOT/tests/docs/prepare/table" all.csv 300 1
"$ROOT/tests/docs/prepare/table" new.csv 20 2
"$ROOT/tests/docs/prepare/table" crowd.csv 300 3
temper train all.csv -m all.temper
