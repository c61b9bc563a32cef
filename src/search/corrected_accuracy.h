/* corrected_accuracy: what accuracy to expect of a candidate that was selected for having the highest one.
 *
 * The best of many cross-validated accuracies is too high: it was selected partly for its luck on these rows. Bootstrap
 * bias-corrected cross-validation (BBC-CV; Tsamardinos, Greasidou and Borboudakis, Machine Learning 107, 2018) repeats
 * the selection on resampled rows and measures each winner on the rows that were not drawn. It needs no further fits.
 */
#ifndef SEARCH_CORRECTED_ACCURACY_H
#define SEARCH_CORRECTED_ACCURACY_H

#include "search/outcome_table.h"

struct corrected_input {
    const struct outcome_table *outcomes; /* of the folds */
    const temper_tune_candidate *candidate;
    const double *weight; /* of each row of the data */
    double rows;          /* effective number of rows, for the standard error */
    uint64_t seed;
    size_t threads; /* at least 1 */
};

struct corrected_accuracy {
    double accuracy;
    double error;     /* its standard error */
    double low, high; /* a 95 % interval */
};

/* For `best`, the most accurate candidate on the folds. */
temper_status correct_accuracy(const struct corrected_input *in, size_t best, struct corrected_accuracy *out,
                               temper_error *error);
/* For a candidate that was not selected by its accuracy, which then needs no correction. */
struct corrected_accuracy plain_accuracy(const struct corrected_input *in, size_t candidate);

#endif
