#!/usr/bin/env bash
temper_exit plot losses -o ''
temper_exit plot losses --output=
