#!/usr/bin/env bash
$TEMPER help tune
