#!/usr/bin/env bash
# A model of a small table, and new rows.
"$ROOT/tests/docs/prepare/table" crowd.csv 300 1
"$ROOT/tests/docs/prepare/table" new.csv 20 2
temper train crowd.csv
