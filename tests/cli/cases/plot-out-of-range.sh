#!/usr/bin/env bash
temper_exit plot losses --t1 -0.1
temper_exit plot losses --t2=-1e-300
temper_exit plot losses --temperatures 1,-1
