/* rff_ridge: a nonlinear estimate of the class shares at each row, from the rows of other folds.
 *
 * Ridge regression of the labels on the coordinates and on random Fourier features of the points, which approximates
 * kernel regression with a Gaussian as wide as the rows are apart (A. Rahimi and B. Recht, "Random features for
 * large-scale kernel machines", 2007). One pass over the rows and one small Cholesky factor per group of folds: cheaper
 * than the fits, and without the assumption of a linear boundary between the classes. */
#ifndef AUDIT_RFF_RIDGE_H
#define AUDIT_RFF_RIDGE_H

#include "audit/knn.h"
#include "base/status.h"

/* Memory for two classes: Gram matrices and factors. */
enum { RFF_RIDGE_BYTES = 4 << 20 };

struct rff_ridge {
    struct points points; /* centred */
    const uint32_t *label;
    size_t classes;
    const uint32_t *part; /* the fold of each row, which is excluded from its prediction */
    uint64_t seed;
    size_t threads;
};

/* Fills out[row * classes + class] with the share of the class at the row's position, as estimated from other folds:
 * from about 0 to about 1. An evenly spread sample of NEIGHBOURS_AMONG rows is learnt from, if there are more. The same
 * bits for any number of threads. */
temper_status rff_ridge_fit(const struct rff_ridge *ridge, double *out, temper_error *error);

#endif
