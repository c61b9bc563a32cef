#!/usr/bin/env bash
$TEMPER version now
