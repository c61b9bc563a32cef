/* components_dense: what a round of components does with dense rows, a block at a time. */
#ifndef AUDIT_PCA_DENSE_H
#define AUDIT_PCA_DENSE_H

#include "data/columns/scale.h"
#include "data/dataset.h"

struct iteration {
    const struct dataset *data;
    const struct scale *scale;
    size_t columns, count, sample;
    double *directions, *next;
    double *projection; /* of a sparse row: count */
};

/* Which row of this process the i-th of the sample is; at least as many as there are, if it is
 * another's. */
static inline uint64_t pca_row(const struct iteration *it, size_t i)
{
    return i * dataset_all_rows(it->data) / it->sample - it->data->ranks.first_row;
}

/* next += X' X directions. The same bits for any number of processes. */
temper_status pca_multiply_dense(struct iteration *it, temper_error *error);

#endif
