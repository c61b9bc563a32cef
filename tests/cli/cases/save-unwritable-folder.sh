#!/usr/bin/env bash
mkdir folder
become_unprivileged
chmod 555 folder
temper_as_nobody plot losses -o folder/figure.svg
