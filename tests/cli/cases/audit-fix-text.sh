#!/usr/bin/env bash
# The data put right has the bytes of the user's text, but for the rows that are listed: quotes,
# line ends, blank lines, comments, categories and gaps stay, and numbers keep all their digits.
# table SEPARATOR END HOW: every 25th label is wrong, and the row is as it is (HOW given), left out
# (drop), or right (relabel). Of labels, some are in quotes, some between blanks, some need quotes.
table() {
    LC_ALL=C awk -v s="$1" -v end="$2" -v how="$3" 'BEGIN {
        ORS = end
        print "id" s "\"my label\"" s "x" s "\"colour" s "kind\"" s "y"
        split("red|\"blue\n  \"\"sky\"\"\"|green|", colour, "|")
        for (i = 0; i < 300; i++) {
            k = i % 2; wrong = i % 25 == 0; y = wrong && how != "relabel" ? 1 - k : k
            before = i % 5 ? "" : " "; quote = i % 7 ? "" : "\""
            name = y ? quote "on" quote : "\"of" s "f\""
            if (wrong && how == "relabel") # quotes where the cell had some, or needs them
                name = y ? "\"on\"" : "\"of" s "f\""
            if (!wrong || how != "drop")
                print 123456789 + i s before name before s i * 37 % 101 / 64 + 2 * k s \
                    colour[i % 4 + 1] s (i % 11 ? i * 53 % 97 / 64 - k : "NA")
            if (i == 100)
                print "   "
        }
    }'
}

read_as=(--label 'my label' --ignore id --categorical all --missing mean)
put_right() { # put_right DATA OUT HOW [OPTIONS]
    local data=$1 out=$2 how=$3
    shift 3
    $TEMPER audit -q --t1 0.3 --top 12 "$data" --fix "$out" --fix-how "$how" "$@" >/dev/null
}

printf '\xef\xbb\xbf' >semicolon.csv
table ';' $'\r\n' given >>semicolon.csv
gzip -n <semicolon.csv >semicolon.csv.gz
table ',' $'\n' given | head -c -1 >comma.csv # no newline at the end
table $'\t' $'\n' given >tab.csv
for how in drop relabel; do
    { printf '\xef\xbb\xbf' && table ';' $'\r\n' $how; } >wanted
    put_right semicolon.csv out.csv $how "${read_as[@]}" && cmp out.csv wanted
    put_right semicolon.csv.gz out.csv $how "${read_as[@]}" && cmp out.csv wanted
    table ',' $'\n' $how | head -c -1 >wanted
    put_right comma.csv out.csv $how "${read_as[@]}" && cmp out.csv wanted
    table $'\t' $'\n' $how >wanted
    put_right tab.csv out.csv $how "${read_as[@]}" && cmp out.csv wanted
done

# Rows that were not audited stay as well.
put_right comma.csv out.csv drop --label 'my label' --ignore id,4 --missing drop
echo "gaps: $(grep -c NA comma.csv) and $(grep -c NA out.csv)"

# Weights: a column more, and nothing else; a table that has some keeps them in their place.
put_right semicolon.csv out.csv weight "${read_as[@]}"
sed -E '/"blue$/!s/;[^;]*\r$/\r/' <(sed -z 's/\r\n   \r\n/\r\n/' out.csv) |
    cmp - <(sed -z 's/\r\n   \r\n/\r\n/' semicolon.csv)
head -n 2 out.csv | tr -d '\r' | tail -c +4 | sed 's,0\.00[0-9]*$,0.00...,'
$TEMPER train -q out.csv "${read_as[@]}" --weights weight | grep '^rows'
sed '1s/id,/weight,/; 2,$s/^12345[0-9]*,/2,/' comma.csv >weighted.csv
put_right weighted.csv out.csv weight --label 'my label' --weights weight --categorical all \
    --missing mean
diff weighted.csv out.csv | grep '^>' | cut -c 1-6 | head -n 2
sed 's/^id,/weight,/' comma.csv >named.csv
put_right named.csv out.csv weight --label 'my label' --ignore weight --categorical all \
    --missing mean
head -n 1 out.csv

# libsvm: comments, blanks and blank lines.
sparse() {
    LC_ALL=C awk -v how="$1" 'BEGIN {
        ORS = "\r\n"
        for (i = 0; i < 300; i++) {
            k = i % 2; wrong = i % 25 == 0; y = wrong && how != "relabel" ? 1 - k : k
            if (!wrong || how != "drop")
                print (i % 3 ? "" : " ") (y ? "on" : "off") " 1:" i * 37 % 101 / 64 + 2 * k \
                    "  3:" i * 53 % 97 / 64 - k (i % 4 ? "" : " # " i)
            if (i == 100)
                print "# a comment" ORS
        }
    }'
}
sparse given >data.svm
for how in drop relabel; do
    put_right data.svm out.svm $how
    sparse $how | cmp out.svm -
done
temper_exit audit data.svm --fix out.svm --fix-how weight

# The names of the written files are reported.
$TEMPER audit --t1 0.3 data.svm --report page.html --fix out.csv --fix-how weight >/dev/null
$TEMPER audit --t1 0.3 comma.csv "${read_as[@]}" --fix out.csv --fix-how weight 2>&1 >/dev/null |
    tail -n 2
tail -n +2 comma.csv >bare.csv
$TEMPER audit --t1 0.3 bare.csv --header no --label 2 --ignore 1 --categorical all --missing mean \
    --fix out.csv --fix-how weight 2>&1 >/dev/null | tail -n 2
