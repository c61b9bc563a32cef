#!/usr/bin/env bash
# Not in the list of commands, and still explained.
$TEMPER documents --help
