#!/usr/bin/env bash
$TEMPER
