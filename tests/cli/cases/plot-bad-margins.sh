#!/usr/bin/env bash
for margins in 1 1,2,3 2,1 1,1 a,b ','; do
    temper_exit plot losses --margins "$margins"
done
