#!/usr/bin/env bash
$TEMPER plot losses --help=please
