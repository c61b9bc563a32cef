#!/usr/bin/env bash
# A file that cannot be written ends it.
mkdir -p doc/temper.zsh
$TEMPER documents doc
