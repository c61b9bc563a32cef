#!/usr/bin/env bash
$TEMPER help plot plot
