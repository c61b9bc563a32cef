#!/usr/bin/env bash
# A file is where a folder should be.
touch doc
$TEMPER documents doc
