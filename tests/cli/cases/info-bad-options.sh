#!/usr/bin/env bash
# Values that no option takes.
printf '1,2,a\n3,4,b\n' >data.csv
temper_exit info data.csv --format excel
temper_exit info data.csv --header maybe
temper_exit info data.csv --threads 1.5
temper_exit info data.csv --threads -1
temper_exit info data.csv --label ""
temper_exit info data.csv --type f16
temper_exit info data.csv --rate 0.5
temper_exit info data.csv more.csv
