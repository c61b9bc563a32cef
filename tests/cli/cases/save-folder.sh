#!/usr/bin/env bash
# The target is a folder.
mkdir folder
$TEMPER plot losses -o folder
