#!/usr/bin/env bash
# A file that may not be read.
become_unprivileged
printf '1 1:1\n-1 1:2\n' >secret.svm
chmod 000 secret.svm
temper_as_nobody info secret.svm
