#!/usr/bin/env bash
$TEMPER help annotators
