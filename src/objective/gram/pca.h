/* components: a few directions in which rows differ most, by a randomised power iteration. */
#ifndef AUDIT_PCA_H
#define AUDIT_PCA_H

#include "data/columns/scale.h"
#include "data/dataset.h"

struct pca_options {
    size_t count;  /* of directions, at most the columns */
    size_t sample; /* rows that are looked at, evenly spread */
    uint64_t seed;
};

/* Fills directions[column * count + k], orthonormal, for rows as scaled (`scale` NULL: as they
 * are); and, unless NULL, moments[k * count + l], the mean over the sample of the product of a
 * row's parts along two of them. The same bits for any number of processes. */
temper_status pca_find(const struct dataset *data, const struct scale *scale, struct pca_options how,
                       double *directions, double *moments, temper_error *error);

#endif
