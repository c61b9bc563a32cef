/* curves: what a model that may bend says of rows that it has not seen.
 *
 * Ridge regression of the labels on the places of rows and on some hundred waves across them
 * (random Fourier features: nearly kernel regression with a Gaussian as wide as rows are apart).
 * One pass over the rows and one small factor for each part: far cheaper than the fits, and right
 * where classes bend, which a linear model is not. */
#ifndef AUDIT_RFF_RIDGE_H
#define AUDIT_RFF_RIDGE_H

#include "audit/knn.h"
#include "base/status.h"

/* Moments and the factors of two classes. */
enum { CURVES_BYTES = 4 << 20 };

struct rff_ridge {
    struct points points; /* around their mean */
    const uint32_t *label;
    size_t classes;
    const uint32_t *part; /* of each row; its own part tells nothing about a row */
    uint64_t seed;
    size_t threads;
};

/* Fills out[row * classes + class] with the share of the class that the other parts lead to expect
 * at the row's place: about 0 to 1, not exactly. Of more than 20,000 rows, so many, evenly spread,
 * are learnt from. The same bits for any number of threads. */
temper_status rff_ridge_fit(const struct rff_ridge *curves, double *out, temper_error *error);

#endif
