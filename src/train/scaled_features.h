/* scaled_features: what all trainings on the same rows share: the features as the solver sees them. */
#ifndef TRAIN_SCALED_FEATURES_H
#define TRAIN_SCALED_FEATURES_H

#include "data/columns/scale.h"
#include "data/dataset.h"

struct scaled_features {
    const struct dataset *given;
    const struct dataset *data; /* as given, or a copy with logarithms */
    struct dataset *logarithms; /* that copy: logarithms cannot go into linear weights; or NULL */
    struct scale scale;         /* learnt from all rows that count */
    size_t threads;             /* at least 1 */
};

/* `scale`: its name, or NULL for the default of such data. The data is borrowed. */
temper_status scaled_features_new(const struct dataset *given, const char *scale, size_t threads,
                                  struct scaled_features *out, temper_error *error);
void scaled_features_free(struct scaled_features *features);

/* What the objective has to do to the rows, or NULL. */
const struct scale *scaled_features_scale(const struct scaled_features *features);

/* lambda_0 = 2e-4 tr Cov(x) / (C - 1), x as the solver sees it. */
temper_status scaled_features_default_l2(const struct scaled_features *features, double *l2, temper_error *error);

/* The same from the variances of the columns, and the factors of their scaling (NULL: 1). */
double default_l2_of(const double *variance, const double *factor, size_t columns, size_t classes);

/* Where weights for raw rows go: weights[j * column_step + k * vector_step], bias[k]. */
struct raw_weights {
    double *weights;
    size_t column_step, vector_step;
    double *bias;
};

/* Weights as a solver has them: w[column * vectors + k], and intercepts behind if there are any. */
struct solution {
    const double *w;
    size_t vectors;
    bool intercept;
};

void scaled_features_raw_weights(const struct scaled_features *features, struct solution solution,
                                 struct raw_weights out);

/* The scores of some raw rows: a[row * vectors + k]. */
temper_status scaled_features_activations_of(const struct scaled_features *features, const struct matrix *rows,
                                             struct solution solution, size_t threads, double *a, temper_error *error);
/* Of all rows. */
temper_status scaled_features_activations(const struct scaled_features *features, struct solution solution,
                                          size_t threads, double *a, temper_error *error);

#endif
