#!/usr/bin/env bash
# Data without labels has no classes, and a sparse column that nobody has is constant.
printf '1:1 4:2\n4:3\n' | $TEMPER info -
