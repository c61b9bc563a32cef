#!/usr/bin/env bash
$TEMPER plot
