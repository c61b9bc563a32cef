#!/usr/bin/env bash
# The help of info.
$TEMPER info --help
