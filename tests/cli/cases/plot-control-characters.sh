#!/usr/bin/env bash
# What was typed is shown, but does not play with the terminal.
$TEMPER plot losses --t1 $'\e[31mred\a'
