#!/usr/bin/env bash
$TEMPER help help
