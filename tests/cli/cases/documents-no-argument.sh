#!/usr/bin/env bash
$TEMPER documents
