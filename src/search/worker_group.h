/* fits_crew: many two-class trainings in step: what fits_batched works with. */
#ifndef SEARCH_WORKER_GROUP_H
#define SEARCH_WORKER_GROUP_H

#include "objective/batch/multi_objective.h"
#include "optim/lbfgs.h"
#include "search/many_fits.h"
#include "train/preconditioner/preconditioner_batch.h"

enum {
    MOST_AT_ONCE = GRAM_PRECONDITIONERS_MOST_VECTORS, /* two passes' worth, so that few leave gaps */
    HISTORY = 100                                     /* pairs of vectors: with 40, half as many passes again */
};

enum stage {
    STAGE_FREE,
    STAGE_ZERO,    /* the gradient at W = 0 is wanted: the stopping rule is relative to it */
    STAGE_RUNNING, /* the run asks */
    STAGE_SCORES,  /* over: the activations of all rows are wanted */
};

/* A fit on its way. */
struct runner {
    enum stage stage;
    size_t fit;
    struct lbfgs *run;
    double *gradient; /* at zero */
    size_t whitener;
    struct multi_request *request; /* of this round, or NULL */
    bool told;                     /* the run has its answer, which is this number and a vector */
    double number;
};

/* What is kept of a fit. */
struct record {
    double zero_norm; /* of the gradient at W = 0 */
    double *end;      /* where it ended, as long as some fit is to begin there */
    size_t waiting;   /* how many are */
    bool over;
};

struct crew {
    const struct fits_job *job;
    temper_error *error;
    size_t size, rows;
    struct multi_objective *group;
    struct gram_preconditioners *whiteners; /* NULL: no fit wants a metric */
    struct record *record;                  /* one a fit */
    double *zero;                           /* weights */
    double *gradients;                      /* of all runners */
    struct runner runner[MOST_AT_ONCE];
    size_t slots, busy;
    bool *begun; /* of each fit */
    size_t next; /* the first that has not */
    struct multi_request request[MOST_AT_ONCE];
    size_t requests;
    double *score; /* score_slots times rows */
    size_t score_slots;
};

/* How many runs there are at once, each of so many bytes, and of whose activations there is room.
 */
struct crew_room {
    size_t slots, score_slots;
    double run;
};
struct crew_room crew_room(const struct dataset *data, size_t size, size_t fits);

temper_status worker_group_new(const struct fits_job *job, struct crew **out, temper_error *error);
void worker_group_free(struct crew *crew);

#endif
