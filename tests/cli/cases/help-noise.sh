#!/usr/bin/env bash
# The help of noise.
$TEMPER noise --help
