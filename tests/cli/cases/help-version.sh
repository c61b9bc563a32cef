#!/usr/bin/env bash
$TEMPER help version
