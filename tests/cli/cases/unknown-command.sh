#!/usr/bin/env bash
temper_exit plto
temper_exit hlp
temper_exit xyzzy
temper_exit ''
