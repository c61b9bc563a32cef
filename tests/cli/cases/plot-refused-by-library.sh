#!/usr/bin/env bash
# What only the library knows to be wrong comes through as it is.
$TEMPER plot losses --margins 1,1.0000000001
