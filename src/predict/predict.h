/* predict: what a model says of rows. */
#ifndef PREDICT_PREDICT_H
#define PREDICT_PREDICT_H

#include "data/dataset.h"
#include "model/model.h"

/* Numbers a row; 0 if the model cannot give them. */
size_t output_width(const struct model *model, temper_prediction output);

/* out[rows * width] */
temper_status predict(const struct model *model, const struct matrix *x, temper_prediction output, size_t threads,
                      double *out, temper_error *error);

/* p^(t2 - t1) of the given label of each row. */
temper_status importances(const struct model *model, const struct dataset *data, size_t threads, double *out,
                          temper_error *error);

/* The activations of rows: `vectors` numbers each. */
temper_status decide(const struct model *model, const struct matrix *x, size_t threads, double *out,
                     temper_error *error);

/* From the activations of one row (`vectors` of them) to the class, or to C probabilities, which
 * are calibrated if asked for. */
size_t predicted_class(const struct model *model, const double *a);
void predicted_probabilities(const struct model *model, const double *a, bool calibrated, double *p);

#endif
