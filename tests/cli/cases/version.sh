#!/usr/bin/env bash
$TEMPER version
$TEMPER --version
$TEMPER plot --version
