#!/usr/bin/env bash
# Tables as other programs export them: what became of their columns.
shown() { $TEMPER info --label "$1" "$2" 2>/dev/null | sed -n '/^columns/,$p'; }
# A spreadsheet in German, Latin-1: a number of customers, dates, decimal commas.
awk 'BEGIN {
    printf "Kundennr;Datum;Umsatz;Gek\374ndigt\r\n"
    for (i = 0; i < 30; i++)
        printf "%d;%02d.%02d.2023;%d.%03d,50 \200;%s\r\n", 4711 + i, 1 + i % 28, 1 + i % 12, 1 + i % 7, i * 31 % 1000, i % 3 ? "ja" : "nein"
}' >german.csv
shown 4 german.csv
# Separators of empty columns at the end of each row: the label is the last column that has a name.
awk 'BEGIN {
    print "When,Age,Pet,,"
    for (i = 0; i < 30; i++)
        print 1 + i % 12 "/" 13 + i % 15 "/2024 10:" 10 + i ":00," 20 + i * 7 % 50 "," (i % 2 ? "TRUE" : "FALSE") ",,"
}' >sheets.csv
$TEMPER train sheets.csv 2>&1 >/dev/null | grep -E 'label|left out'
# NULL as databases write it.
awk 'BEGIN {
    print "plan\tlogin\tcancelled"
    for (i = 0; i < 30; i++)
        print (i % 3 ? "basic" : "pro") "\t" (i % 5 ? "2024-0" 1 + i % 9 "-11" : "\\N") "\t" i % 2
}' >mysql.tsv
shown cancelled mysql.tsv
# What a database prints for people is no table.
printf ' id | region | churned \n----+--------+---------\n 1 | n | t\n 2 | s | f\n(2 rows)\n' >psql.txt
$TEMPER train psql.txt || echo "exit $?"
$TEMPER info psql.txt 2>/dev/null | tail -n 2
