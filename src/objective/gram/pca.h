/* pca: the first principal directions of the rows (not centred), by randomised subspace iteration. */
#ifndef OBJECTIVE_PCA_H
#define OBJECTIVE_PCA_H

#include "data/columns/scale.h"
#include "data/dataset.h"

struct pca_options {
    size_t count;  /* of directions, at most the columns */
    size_t sample; /* rows that are used, evenly spaced */
    uint64_t seed;
};

/* Fills directions[column * count + k], orthonormal, for scaled rows (`scale` NULL: unscaled); and, unless NULL,
 * moments[k * count + l], the mean over the sample of the product of a row's projections on two of them. The same bits
 * for any number of processes. */
temper_status pca_find(const struct dataset *data, const struct scale *scale, struct pca_options how,
                       double *directions, double *moments, temper_error *error);

#endif
