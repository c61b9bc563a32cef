#!/usr/bin/env bash
# Several starts, random ones and warm ones.
train_on three.csv plain.temper
train_on three.csv starts.temper --starts 3 && echo "three starts"
train_on three.csv normal.temper --init normal:0.001 --seed 7
train_on three.csv again.temper --init normal:0.001 --seed 7
cmp normal.temper again.temper && echo "the same seed, the same model"
$TEMPER train -q --json "$CLI_TESTS/data/three.csv" -m warm.temper --warm-start plain.temper |
    grep -E '"(stop|iterations)"'

# Rows like those of mail: most features are 0, the others skewed, and some labels wrong. The loss has several optima,
# and the logistic start leads to a lower one than 0 does.
awk -v seed=9 'function uniform() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
    BEGIN {
        print "a,b,c,d,e,f,label"
        for (i = 0; i < 300; i++) {
            score = -0.5; line = ""
            for (j = 1; j <= 6; j++) {
                x = uniform() < 0.5 ? 0 : exp(3 * uniform() - 1.5) * j
                score += (j % 2 ? 1 : -1) * x / j * (j < 4 ? 1.5 : 0.7)
                line = line sprintf("%.3f,", x)
            }
            wrong = uniform() < 0.15
            print line ((score > 0) != wrong ? "spam" : "mail")
        }
    }' >mail.csv
for starts in 1 2 3; do
    $TEMPER train -q --json mail.csv -m mail.temper --t1 0 --t2 1 --l2 1e-5 --starts $starts 2>warnings |
        sed -n 's/ *"objective": \([0-9.]\{6\}\).*/\1/p'
    grep -o 'start 1 ends in another model than start 2, which is kept (objective 0.1704' warnings
done
