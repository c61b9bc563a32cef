#!/usr/bin/env bash
# A wrong value is wrong, though a right one follows.
$TEMPER plot losses --t1 abc --t1 0.3
