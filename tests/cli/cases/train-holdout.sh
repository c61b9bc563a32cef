#!/usr/bin/env bash
# The accuracy on new rows beside that on the training rows; the model is the same in any case.
data=$CLI_TESTS/data/two.csv
for how in none auto cv 0.25; do
    echo "-- $how"
    $TEMPER train -q "$data" -m "$how.temper" --holdout $how | grep accuracy
    cmp none.temper "$how.temper"
done
# Without fits for the calibration: fits of its own.
$TEMPER train -q "$data" -m train.temper --calibrate train | grep expected
$TEMPER train -q "$data" -m train.temper --calibrate train --json | grep '"expected"' | sed -E 's/0\.[0-9]+/X/g'
$TEMPER train -q "$data" -m train.temper --holdout none --json | grep '"expected"'
# By the folds of a tuning.
$TEMPER train -q "$data" -m tuned.temper --t1 auto | grep expected | sed -E 's/[0-9.]+( %| to)/X\1/g; s/to [0-9.]+/to X/'
temper_exit train -q "$data" -m tuned.temper --t1 auto --holdout 0.2
# Where there is none, a line states why.
$TEMPER train -q "$data" -m valid.temper --valid "$data" | grep expected
$TEMPER train -q "$data" -m clean.temper --clean drop 2>/dev/null | grep expected
head -n 16 "$data" >few.csv
$TEMPER train -q few.csv -m few.temper 2>/dev/null | grep expected
temper_exit train -q "$data" -m valid.temper --valid "$data" --holdout cv
temper_exit train -q "$data" -m clean.temper --clean drop --holdout 0.2
temper_exit train -q "$data" -m wrong.temper --holdout 0
temper_exit train -q "$data" -m wrong.temper --holdout half
