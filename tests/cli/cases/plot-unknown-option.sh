#!/usr/bin/env bash
temper_exit plot losses --tempratures 1
temper_exit plot losses --temp 1
temper_exit plot losses --t3=1
temper_exit plot losses --xyzzy
temper_exit plot losses --panel=ab
temper_exit plot losses ---
