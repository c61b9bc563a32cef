#!/usr/bin/env bash
temper_exit --t1 0.5 plot losses
temper_exit -- plot losses
temper_exit - plot losses
temper_exit version --t1 0.5
temper_exit --xyzzy
