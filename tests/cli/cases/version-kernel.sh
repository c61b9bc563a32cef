#!/usr/bin/env bash
# A kernel that is not there is refused, not replaced.
TEMPER_KERNEL=abacus $TEMPER version
