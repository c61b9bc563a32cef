/* embedding: rows of bytes projected on a few directions, in single precision. Public to the tests. */
#ifndef AUDIT_EMBEDDING_H
#define AUDIT_EMBEDDING_H

#include "data/dataset.h"

/* Directions, and the factor of each column (NULL: 1). Offsets would move all rows alike, so there are none. */
struct directions {
    const double *w; /* [column * count + k] */
    size_t count;
    const double *factor;
};

/* Fills out[row * count + k] with the product of a row and a direction. The same bits for any number of threads. */
temper_status project_bytes(const struct matrix *x, struct directions directions, size_t threads, double *out,
                            temper_error *error);

#endif
