#!/usr/bin/env bash
# A read that fails in the middle: the memory of a process has nothing at address 0.
[ -e /proc/self/mem ] || skip "there is no /proc/self/mem"
temper_exit info --format csv /proc/self/mem
temper_exit convert --format libsvm /proc/self/mem out.tmpr
ls
