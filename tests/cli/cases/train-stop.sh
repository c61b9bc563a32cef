#!/usr/bin/env bash
# A stop before the end is no failure, and comes with advice.
$TEMPER train -q "$CLI_TESTS/data/three.csv" -m three.temper --max-iter 1 --solver lbfgs --json |
    grep -E '"(stop|iterations)"'
