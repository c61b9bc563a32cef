#!/usr/bin/env bash
# No page draws a warning from groff, or from man.
need man groff
documents
for page in documents/man1/*.1; do
    groff -man -ww -z -Tutf8 "$page"
    man --warnings -E UTF-8 -l -Tutf8 -Z "$page" >/dev/null || echo "$page: exit $?"
done
