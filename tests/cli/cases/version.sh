#!/usr/bin/env bash
export TEMPER_KERNEL=plain
$TEMPER version
$TEMPER --version
$TEMPER plot --version
TEMPER_KERNEL='' $TEMPER version | head -n 1
