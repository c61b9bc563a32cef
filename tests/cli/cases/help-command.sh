#!/usr/bin/env bash
# Three ways to the same help.
$TEMPER help >all
$TEMPER --help | diff all -
$TEMPER -h | diff all -
$TEMPER help plot >one
$TEMPER plot --help | diff one -
$TEMPER plot losses -h | diff one -
