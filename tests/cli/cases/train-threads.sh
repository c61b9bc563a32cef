#!/usr/bin/env bash
# Any number of threads gives the same bytes: dense and sparse, two classes and many.
make_data() { # make_data CLASSES FORMAT: more rows than one thread takes at a time
    awk -v classes="$1" -v format="$2" 'BEGIN {
        state = 1
        for (row = 0; row < 3000; row++) {
            class = row % classes
            line = ""
            for (column = 1; column <= 12; column++) {
                state = (state * 16807) % 2147483647
                value = sprintf("%.3f", state / 2147483647 + (column == class + 1))
                if (format == "csv")
                    line = line value ","
                else if (state % 3 == 0 || column == class + 1)
                    line = line " " column ":" value
            }
            print format == "csv" ? line "c" class : class line
        }
    }'
}
for format in csv svm; do
    for classes in 2 7; do
        make_data $classes $format >data.$format
        for threads in 1 2 5; do
            $TEMPER train -q data.$format --t1 0.5 --t2 1.4 --threads $threads -m $threads.temper >/dev/null
        done
        cmp 1.temper 2.temper && cmp 1.temper 5.temper && echo "$format, $classes classes: the same"
        for option in --proba --decision; do
            for threads in 1 5; do
                $TEMPER predict -q -m 1.temper data.$format --threads $threads $option >$threads.out
            done
            cmp 1.out 5.out
        done
    done
done
