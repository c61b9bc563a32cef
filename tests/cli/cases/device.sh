#!/usr/bin/env bash
# A device is written to, never replaced.
$TEMPER plot losses -o /dev/null
test -c /dev/null && echo "still a device"
