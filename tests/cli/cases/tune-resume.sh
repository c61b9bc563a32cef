#!/usr/bin/env bash
# Killed at any moment, or stopped by SIGTERM, it continues to the same table and the same model.
need python3
cp "$CLI_TESTS/data/three.csv" .
tune=(tune three.csv -q --json --folds 5 --seed 3 --checkpoint-seconds 0
    --grid "t1=0.1,0.5 t2=1,1.9 l2=1e-2x..10x:4")
figures() {
    python3 -c 'import json, sys
found = json.load(sys.stdin)
for key in ("seconds", "resumed", "model", "replaced"):
    del found[key]
print(json.dumps(found, sort_keys=True))'
}
stop() { # stop SIGNAL SECONDS: begins or continues, and ends it SECONDS after its first checkpoint
    $TEMPER "${tune[@]}" -m part --resume >part.out 2>part.err &
    while [ ! -e part.tuning ] && kill -0 $! 2>/dev/null; do
        sleep 0.005
    done
    sleep "$2"
    kill "-$1" $! 2>/dev/null
    wait $!
}
$TEMPER "${tune[@]}" -m whole | figures >whole.json
for seconds in 0 0.02 0.05 0.1; do
    rm -f part part.tuning
    stop KILL $seconds 2>/dev/null
    stop KILL 0 2>/dev/null
    $TEMPER "${tune[@]}" -m part --resume | figures >part.json
    cmp whole.json part.json && cmp whole part && echo "the same"
done
[ ! -e part.tuning ] && echo "gone" # when all is done
rm -f part
stop TERM 0
echo "exit $?"
cat part.err
$TEMPER "${tune[@]}" -m part --resume | figures | cmp - whole.json && echo "the same"
echo nonsense >part.tuning
$TEMPER "${tune[@]}" -m part --resume
