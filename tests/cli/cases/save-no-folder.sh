#!/usr/bin/env bash
$TEMPER plot losses -o missing/figure.svg
