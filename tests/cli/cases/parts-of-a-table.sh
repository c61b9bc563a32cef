#!/usr/bin/env bash
# A folder, a pattern or a list of files is one table: the model is that of the whole, byte for byte; the header counts
# once; files are sorted by name, compressed or not; messages have the file and its line.
LC_ALL=C awk 'BEGIN {
    print "age,city,since,kind"
    for (i = 1; i <= 60; i++)
        printf "%s,%s,2024-%02d-%02d,%s\n", i % 10 ? (i * 37) % 41 : "", i % 3 ? "Ulm" : "Rome", i % 12 + 1, i % 28 + 1,
            ((i * 37) % 41 > 20) ? "high" : "low"
}' >t.csv
mkdir parts lines mixed empty
for part in 1 2 3; do
    { head -n 1 t.csv && sed -n "$((part * 20 - 18)),$((part * 20 + 1))p" t.csv; } >parts/p$part.csv
    sed -n "$((part * 20 - 18)),$((part * 20 + 1))p" t.csv | LC_ALL=C awk -F, '{
        printf "{%s\"city\": \"%s\", \"since\": \"%s\", \"kind\": \"%s\"}\n", $1 == "" ? "" : "\"age\": " $1 ", ", $2, $3, $4
    }' >lines/p$part.jsonl
done
gzip parts/p2.csv
touch parts/_SUCCESS
printf 'parts/p1.csv\n# the middle\nparts/p2.csv.gz\n\nparts/p3.csv\n' >list
$TEMPER train -q t.csv -m whole >/dev/null
$TEMPER train parts/ | grep -e rows -e features -e model
cmp whole parts.temper
for data in parts 'parts/p*' 'pa*s/p[123].*' @list lines 'lines/*.jsonl' 'parts/*'; do
    $TEMPER train -q "$data" -m part.model >/dev/null && cmp whole part.model && echo "same from $data"
done
$TEMPER predict -q -m whole t.csv >expected
$TEMPER predict -q -m whole parts | cmp expected - && $TEMPER predict -q -m whole 'lines/*' | cmp expected -
$TEMPER eval -q -m whole parts | head -n 2
$TEMPER info -q parts | tail -n 10
$TEMPER convert -q parts whole.tmpr && $TEMPER info -q whole.tmpr | head -n 2
# One row a file, of texts alone, where no file shows its header by itself.
for i in 1 2 3 4 5 6; do printf 'city,kind\n%s,%s\n' $((i % 2)) a$((i % 2)) | tr 01 RU >mixed/$i.csv; done
$TEMPER info -q mixed | head -n 4
# Faults.
temper_exit train -q empty
temper_exit train -q 'parts/*.tsv' -m part.model
temper_exit train -q 'parts/*'
temper_exit train -q nowhere/
sed -i 's/,Rome,/,"Rome,/' parts/p3.csv
temper_exit train -q parts
sed -i 's/"//; 1s/age,city/city,age/' parts/p3.csv
temper_exit train -q parts
sed -i '5s/:/;/' lines/p2.jsonl
temper_exit train -q lines
rm parts/p3.csv
sed -i '3s/^[0-9]*/many/' parts/p1.csv
$TEMPER train parts -m part.model 2>&1 >/dev/null | grep warning
