/* calibrate: fits the calibration of a trained model, to scores of rows that models were not fitted to. */
#ifndef SEARCH_CALIBRATE_H
#define SEARCH_CALIBRATE_H

#include "data/dataset.h"
#include "model/model.h"
#include "temper_extra.h"

/* TEMPER_USAGE if options->calibrate is not one of its words. For callers to check before a long training. */
temper_status calibrate_check(const temper_train_options *options, temper_error *error);

/* Sets model->calibration, its fields in the report, and report->expected if its fits serve for that, where
 * options->calibrate and the data allow it. `data` and `options` are those of the training. Fewer than 20 rows are not
 * enough. Interrupted, it leaves the model without a calibration and sets report->stop. */
temper_status calibrate_model(const struct dataset *data, const temper_train_options *options, struct model *model,
                              temper_train_report *report, temper_error *error);

#endif
