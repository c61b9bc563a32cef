/* predict: classes, probabilities and scores of rows by a model. */
#ifndef PREDICT_PREDICT_H
#define PREDICT_PREDICT_H

#include "data/dataset.h"
#include "model/model.h"

/* Numbers per row; 0 if the model has no such output. */
size_t output_width(const struct model *model, temper_prediction output);

/* Where predictions go, [rows * width]; one of the two is NULL. */
struct prediction_target {
    double *f64;
    float *f32;
};

/* The same bits for any number of threads, and for a row alone or among others. TEMPER_BAD_DATA if a value is not
 * finite, which the caller need not have checked. threads 0: as many as the machine runs at once. */
temper_status predict(const struct model *model, const struct matrix *x, temper_prediction output, size_t threads,
                      struct prediction_target target, temper_error *error);

/* The importance factor of each row: p^(t2 - t1), p being the probability of its given label. */
temper_status importances(const struct model *model, const struct dataset *data, size_t threads, double *out,
                          temper_error *error);

/* The scores (activations) of rows: out[row * vectors + k]. */
temper_status decide(const struct model *model, const struct matrix *x, size_t threads, double *out,
                     temper_error *error);

/* log p-hat of each class by the scores of one row, less that of the most probable class. */
void raw_log_probabilities(const struct model *model, const double *a, double *out);

/* The class, or C probabilities, raw or calibrated, by the scores of one row. */
size_t predicted_class(const struct model *model, const double *a);
void predicted_probabilities(const struct model *model, const double *a, bool calibrated, double *p);

#endif
