#!/usr/bin/env bash
# What is not there, is a folder, or is not named at all.
mkdir folder
for path in nowhere.csv folder ""; do temper_exit info "$path"; done
temper_exit info
