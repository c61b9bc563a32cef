#!/usr/bin/env bash
# A lone dash is an argument, not an option.
$TEMPER plot -
