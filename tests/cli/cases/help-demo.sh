#!/usr/bin/env bash
$TEMPER demo --help
