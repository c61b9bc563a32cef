#!/usr/bin/env bash
# Sixteen kilobytes that unpack to 512 MB without a newline are refused within little memory.
need zstd
head -c 512M /dev/zero | tr '\0' '\n' | zstd -q -c >newlines.svm.zst
head -c 512M /dev/zero | zstd -q -c >zeros.svm.zst
head -c 512M /dev/zero | tr '\0' '1' | zstd -q -c >digits.svm.zst
# A sanitizer needs more address space than any machine has; there the limit stays away.
if bash -c "ulimit -v 4000000; $TEMPER version; exit \$?" >/dev/null 2>&1; then ulimit -v 4000000; fi
for file in newlines zeros digits; do temper_exit info $file.svm.zst; done
