#!/usr/bin/env bash
# What comes behind --help does not matter; what comes before it does.
$TEMPER plot --help --no-such-option | head -n 1
$TEMPER plot --no-such-option --help
