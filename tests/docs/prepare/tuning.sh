#!/usr/bin/env bash
# A small table; the true labels of the ten rows that --ask names are filled in by a mark on the page.
"$ROOT/tests/docs/prepare/table" crowd.csv 120 1
