#!/usr/bin/env bash
$TEMPER plot losses losses
