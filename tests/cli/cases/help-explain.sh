#!/usr/bin/env bash
$TEMPER help explain
