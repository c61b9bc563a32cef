#!/usr/bin/env bash
# A locale with a decimal comma changes nothing.
export LOCPATH=$CLI_TESTS/../../build/locale
locale=de_DE.UTF-8
[ "$(LC_ALL=$locale locale decimal_point 2>/dev/null)" = , ] || skip "needs the locale $locale"
$TEMPER plot losses >expected.svg
LC_ALL=$locale $TEMPER plot losses --t1 0.6 | cmp - expected.svg
LC_ALL=$locale $TEMPER plot losses --t1 0,6
