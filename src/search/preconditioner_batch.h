/* whiteners: the metrics of many runs on the same rows: one for each penalty. */
#ifndef TRAIN_PRECONDITIONER_BATCH_H
#define TRAIN_PRECONDITIONER_BATCH_H

#include "search/many_fits.h"

struct gram_preconditioners;

enum { GRAM_PRECONDITIONERS_MOST_VECTORS = 96 }; /* that can be asked for at once */
#define GRAM_PRECONDITIONERS_NONE SIZE_MAX

/* Takes the second moments of the features. At most as many penalties as the job has fits. */
temper_status gram_preconditioners_new(const struct fits_job *job, struct gram_preconditioners **out,
                                       temper_error *error);
void gram_preconditioners_free(struct gram_preconditioners *whiteners);

/* That of a penalty, made when it is first asked for; GRAM_PRECONDITIONERS_NONE where the moments
 * have no factor: steps as they come. */
temper_status gram_preconditioners_find(struct gram_preconditioners *whiteners, double l2, size_t *number,
                                        temper_error *error);

/* A vector that becomes M^-1 v, M being `bend` times the second moments, and the penalty. */
struct preconditioned {
    size_t whitener;
    double *v;
    double bend;
};

temper_status gram_preconditioners_apply(struct gram_preconditioners *whiteners, const struct preconditioned *vectors,
                                         size_t count);

#endif
