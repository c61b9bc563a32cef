#!/usr/bin/env bash
ln -s b a
ln -s a b
$TEMPER plot losses -o a
