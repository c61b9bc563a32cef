#!/usr/bin/env bash
$TEMPER help split
