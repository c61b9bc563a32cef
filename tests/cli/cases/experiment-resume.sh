#!/usr/bin/env bash
# A run that is interrupted continues from its records, to the same tables; a line that a crash has cut
# off is measured again; one that is no record is refused.
need awk gzip cmp
# shellcheck disable=SC1091 # read by itself
source "$CLI_TESTS/data/official.sh"
official_covtype
args=(experiment table1 -q --data data --sets covtype --splits 3 --folds 3 --rates 0.1
    --noise "random,large-margin" --methods tempered --threads 1
    --grid "t1=0.1,0.5,0.9 t2=1.12,1.5 l2=1e-5..1e-1:3")
run() { # run NAME OPTION...: with files of this name
    $TEMPER "${args[@]}" --records "$1.jsonl" --report "$1.html" "${@:2}"
}
steady_json() { # without the name of the file
    grep -v '"records"' "$1"
}
run whole >whole.txt || exit
run whole --json >whole.json || exit

$TEMPER "${args[@]}" --records part.jsonl --report part.html >part.txt 2>part.err &
job=$!
while [ ! -s part.jsonl ]; do
    sleep 0.02
done
kill -TERM $job # a job of a script ignores Ctrl-C
wait $job
echo "interrupted: exit $?"
sed 's/[0-9]* results/N results/' part.err
[ "$(wc -l <part.jsonl)" -lt "$(wc -l <whole.jsonl)" ] && echo "some are missing"
run part >part.txt || exit
run part --json >part.json || exit
cmp whole.txt part.txt && echo "the same tables"
cmp <(steady_json whole.json) <(steady_json part.json) && echo "the same numbers"

head -c -20 whole.jsonl >cut.jsonl
run cut >cut.txt || exit
cmp whole.txt cut.txt && wc -l <cut.jsonl

while read -r line; do
    printf '%s\n' "$line" >bad.jsonl
    run bad
    echo "exit $?"
done <<'BAD'
{"no": "record"}
nonsense
{"key": "a", "accuracy": [1]}
{"key": "a", "accuracy": 1
{"key": "a" "accuracy": 1}
{"key": "a\q"}
{"key": "a"} and more
BAD
