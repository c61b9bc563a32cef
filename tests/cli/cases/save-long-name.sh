#!/usr/bin/env bash
$TEMPER plot losses -o "$(printf 'x%.0s' $(seq 300)).svg"
