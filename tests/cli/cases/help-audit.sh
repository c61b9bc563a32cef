#!/usr/bin/env bash
$TEMPER help audit
