#!/usr/bin/env bash
temper_exit plot losses -x
temper_exit plot losses -xh
