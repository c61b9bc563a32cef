/* evaluate: accuracy, losses and calibration of a model on labelled rows, in batches. */
#ifndef PREDICT_EVALUATE_H
#define PREDICT_EVALUATE_H

#include "data/dataset.h"
#include "model/model.h"

struct evaluator;

/* The loss of a row with the scores a[vectors], without weight and penalty; `space` has two numbers for each class. */
double model_row_loss(const struct model *model, const double *a, uint32_t label, double *space);

temper_status evaluator_new(const struct model *model, struct evaluator **out, temper_error *error);
void evaluator_free(struct evaluator *evaluator);
/* Adds a batch; classes are matched by name. */
temper_status evaluator_add(struct evaluator *evaluator, const struct dataset *data, size_t threads,
                            temper_error *error);
/* Frees the evaluator; *out, unless NULL, is untouched on failure. */
temper_status evaluator_end(struct evaluator *evaluator, temper_evaluation *out, temper_error *error);

#endif
