/* whiteners: the metrics of many runs on the same rows: one for each penalty. */
#ifndef TRAIN_PRECONDITIONER_BATCH_H
#define TRAIN_PRECONDITIONER_BATCH_H

#include "search/many_fits.h"

struct whiteners;

enum { WHITENERS_MOST_VECTORS = 96 }; /* that can be asked for at once */
#define WHITENERS_NONE SIZE_MAX

/* Takes the second moments of the features. At most as many penalties as the job has fits. */
temper_status whiteners_new(const struct fits_job *job, struct whiteners **out,
                            temper_error *error);
void whiteners_free(struct whiteners *whiteners);

/* That of a penalty, made when it is first asked for; WHITENERS_NONE where the moments have no
 * factor: steps as they come. */
temper_status whiteners_find(struct whiteners *whiteners, double l2, size_t *number,
                             temper_error *error);

/* A vector that becomes M^-1 v, M being `bend` times the second moments, and the penalty. */
struct whitened {
    size_t whitener;
    double *v;
    double bend;
};

temper_status whiteners_turn(struct whiteners *whiteners, const struct whitened *vectors,
                             size_t count);

#endif
