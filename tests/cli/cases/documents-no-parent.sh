#!/usr/bin/env bash
$TEMPER documents missing/doc
