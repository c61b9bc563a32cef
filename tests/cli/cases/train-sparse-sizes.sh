#!/usr/bin/env bash
# Sparse features of very different size: a warning, and its advice helps.
awk 'BEGIN {
        seed = 3
        for (i = 0; i < 400; i++) {
            second = i % 2
            line = second ? "b" : "a"
            for (j = 1; j <= 3; j++) {
                seed = (seed * 16807) % 2147483647
                x = seed / 2147483647 + (j < 3 ? 0.8 * second : 0)
                line = line sprintf(" %d:%.6f", j, j < 3 ? x / 1000 : 100 * x)
            }
            print line
        }
    }' >sizes.libsvm
accuracy() { # accuracy OPTION...: in percent, and the warning
    $TEMPER train sizes.libsvm -m sizes.temper --loss logistic "$@" 2>notes | sed -n 's/^accuracy *\([0-9]*\).*/\1/p'
    grep -o 'warning: features differ in size.*' notes || true
}
accuracy
accuracy --scale maxabs
