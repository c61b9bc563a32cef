#!/usr/bin/env bash
# The source: how a page looks depends on the version of groff.
documents
cat documents/man1/temper.1 documents/man1/temper-plot.1
