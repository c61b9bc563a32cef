#!/usr/bin/env bash
$TEMPER help train
