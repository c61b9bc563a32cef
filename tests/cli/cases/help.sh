#!/usr/bin/env bash
# The list of commands, in 80 columns.
$TEMPER --help
