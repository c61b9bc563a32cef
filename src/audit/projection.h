/* places: rows of bytes along a few directions, to the precision of floats: where they
 * lie, for neighbours. */
#ifndef AUDIT_PROJECTION_H
#define AUDIT_PROJECTION_H

#include "data/dataset.h"

/* Directions, and what each column is multiplied by (NULL: nothing); offsets would move all rows
 * alike. */
struct directions {
    const double *w; /* [column * count + k] */
    size_t count;
    const double *factor;
};

/* Fills out[row * count + k] with the part of a row along a direction. The same bits for any number
 * of threads. */
temper_status project_bytes(const struct matrix *x, struct directions directions, size_t threads, double *out,
                            temper_error *error);

#endif
