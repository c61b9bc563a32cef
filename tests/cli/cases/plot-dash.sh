#!/usr/bin/env bash
# A single dash is an argument, not an option.
$TEMPER plot -
