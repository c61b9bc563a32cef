#!/usr/bin/env bash
$TEMPER help eval
