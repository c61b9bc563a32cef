#!/usr/bin/env bash
# A model to export.
"$ROOT/tests/docs/prepare/table" iris.csv 100 1
temper train iris.csv -m iris.temper
