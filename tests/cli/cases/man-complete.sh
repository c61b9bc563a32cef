#!/usr/bin/env bash
# Every option and every exit code of the help is in the page.
documents
sed 's:\\::g' documents/man1/temper-plot.1 >page
$TEMPER help plot | grep -oE -- '--[a-z0-9]+ ' | sort -u | while read -r option; do
    grep -q -- "$option" page || echo "no $option"
done
$TEMPER help | grep -oE '^ +[0-9]+  ' | while read -r code; do
    grep -qx "fB${code}fR" page || echo "no $code"
done
grep -c '^fB' page
