#!/usr/bin/env bash
for panels in '' abd aa a,b; do
    temper_exit plot losses --panels "$panels"
done
