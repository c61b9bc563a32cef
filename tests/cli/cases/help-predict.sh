#!/usr/bin/env bash
$TEMPER help predict
