#!/usr/bin/env bash
# The help of convert.
$TEMPER convert --help
