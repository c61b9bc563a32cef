/* fits: many trainings over the same rows: candidates by folds.
 *
 * Each fit has its own loss and penalty, and leaves out the rows of one part of a partition (or
 * none). What belongs to a fit does not depend on the others, nor on the number of threads. */
#ifndef SEARCH_MANY_FITS_H
#define SEARCH_MANY_FITS_H

#include "data/split.h"
#include "optim/minimise.h"
#include "train/scaled_features.h"

#define FIT_BEGINS_AT_ZERO SIZE_MAX
#define FIT_SEES_ALL       UINT32_MAX

struct fit_spec {
    temper_loss_spec loss; /* resolved, and one that can be trained */
    double l2;
    uint32_t partition, part; /* the rows that it does not see; part FIT_SEES_ALL: none */
    size_t after;             /* begins where that fit, earlier in the list, ended; or at zero */
};

/* What became of one. The arrays live as long as the call that shows them. */
struct fit_end {
    size_t fit; /* its number */
    enum optim_stop stop;
    size_t iterations, evaluations;
    const double *w;          /* for features as scaled: [column * vectors + k], then intercepts */
    const double *activation; /* of all rows here, those left out too: [row * vectors + k] */
};

struct fits_job {
    const struct scaled_features *features;
    const struct split *partition; /* as many as the fits name; of the rows of all processes */
    const struct fit_spec *fit;
    size_t count;
    /* Of these: tolerance, max_iterations, solver, precision and no_intercept. */
    const temper_train_options *options;
    size_t threads; /* at least 1 */
    bool few;       /* fits for which second moments of all rows would take longer than they save */
    /* Called for each fit that ended, one at a time, in no particular order; a status other than
     * TEMPER_OK ends all. Several processes: in the same order by all, so that they may talk. */
    temper_status (*ended)(void *context, const struct fit_end *end, temper_error *error);
    /* Called after every iteration of any fit, one at a time; false ends all. May be NULL. Several
     * processes must be of one mind. */
    bool (*goes_on)(void *context);
    void *context;
};

/* *finished is false where goes_on ended it. */
temper_status fits_run(const struct fits_job *job, bool *finished, temper_error *error);

/* So many trainings over the same rows; `block` as objective_bytes has it. */
double fits_bytes(const struct dataset *data, const temper_train_options *options, size_t fits, size_t threads,
                  double *block);

/* Whether the solver of the options can advance many fits at once, and whether these fits can be batched. */
bool fits_solver_batches(const struct fits_job *job);
bool fits_can_batch(const struct fits_job *job);
/* In step: one pass over the rows serves all fits. For two classes. */
temper_status fits_batched(const struct fits_job *job, bool *finished, temper_error *error);
/* One training for each fit, several at a time. Any data, any loss. */
temper_status fits_separate(const struct fits_job *job, bool *finished, temper_error *error);

/* Of w: vectors times features, and intercepts. */
size_t fits_vectors(const struct scaled_features *ground);
size_t fits_size(const struct scaled_features *ground, const temper_train_options *options);

#endif
