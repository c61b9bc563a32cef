#!/usr/bin/env bash
# No standard input at all.
$TEMPER info - <&-
