#!/usr/bin/env bash
$TEMPER help plto
