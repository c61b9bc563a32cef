#!/usr/bin/env bash
# Written twice, the second time over the first; DIR may be there or not.
$TEMPER documents doc
$TEMPER documents doc
find doc -type f | LC_ALL=C sort
