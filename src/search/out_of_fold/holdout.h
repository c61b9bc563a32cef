/* holdout: the accuracy to expect on new rows, from fits without some of the rows; it has no effect on the model. */
#ifndef SEARCH_HOLDOUT_H
#define SEARCH_HOLDOUT_H

#include "search/out_of_fold/fold_scores.h"

/* TEMPER_USAGE if options->holdout is no word or share, or does not go with the other options. */
temper_status holdout_check(const temper_train_options *options, temper_error *error);

/* Whether the fits of a calibration, if there are any, serve for the estimate. */
bool holdout_uses_calibration(const temper_train_options *options);

/* Rows with scores of models that were not fitted to them. */
struct scored_rows {
    const double *score; /* [row * vectors + k] */
    size_t vectors;
    const uint32_t *label;
    const double *weight;
    size_t count;
};

/* The share of right predictions among them, with its interval; `by` and `fits` are those of the result. */
temper_expected_accuracy holdout_measure(const struct scored_rows *rows, const char *by, size_t fits);
/* No estimate, and why. */
temper_expected_accuracy holdout_none(const char *why);

/* Sets report->expected as options->holdout asks, unless the calibration has. `data` and `options` are those of the
 * training. Interrupted, it sets report->stop. */
temper_status holdout_estimate(const struct dataset *data, const temper_train_options *options, struct model *model,
                               temper_train_report *report, temper_error *error);

#endif
