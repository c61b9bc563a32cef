#!/usr/bin/env bash
$TEMPER help experiment
