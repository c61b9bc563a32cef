/* train: from a dataset and options to a model. */
#ifndef TRAIN_TRAIN_H
#define TRAIN_TRAIN_H

#include "data/dataset.h"
#include "model/model.h"

/* The public call (temper.h: temper_train) in our own types. */
temper_status train(const struct dataset *data, const temper_train_options *options, struct model **model,
                    temper_train_report *report, temper_error *error);

#endif
