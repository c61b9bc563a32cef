#!/usr/bin/env bash
# --missing does not reach into arrays: the message says so, and only to those who tried.
{
    printf '\x93NUMPY\x01\x00v\x00'
    printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }"
    printf '\x00\x00\x80\x3f\x00\x00\xc0\x7f'
} >x.npy
temper_exit info x.npy
temper_exit info x.npy --missing mean
