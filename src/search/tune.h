/* tune: from a dataset and a grid to a choice and a model. */
#ifndef SEARCH_TUNE_H
#define SEARCH_TUNE_H

#include "data/dataset.h"
#include "model/model.h"

/* The public call (temper.h: temper_tune) in our own types. */
temper_status tune(const struct dataset *data, const temper_tune_options *options, struct model **model,
                   temper_tune_report *report, temper_error *error);

#endif
