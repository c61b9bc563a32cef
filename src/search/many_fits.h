/* many_fits: many fits on the same rows: candidates times folds.
 *
 * Each fit has a loss and a penalty, and leaves out the rows of one part of a partition, or none. Its result depends
 * neither on the other fits nor on the number of threads. */
#ifndef SEARCH_MANY_FITS_H
#define SEARCH_MANY_FITS_H

#include "data/split.h"
#include "optim/minimise.h"
#include "train/scaled_features.h"

#define FIT_BEGINS_AT_ZERO SIZE_MAX
#define FIT_SEES_ALL       UINT32_MAX

struct lbfgs;
struct multi_objective;

/* The solver of a fit that has ended, for the next one on the same rows with another penalty. It begins empty; the
 * caller closes the solver (optim/lbfgs.h). */
struct kept_solver {
    struct lbfgs *solver;
    double l2; /* of the function that it has minimised */
};

struct fit_spec {
    temper_loss_spec loss; /* resolved, and trainable */
    double l2, l1;
    uint32_t partition, part; /* the rows that it leaves out; part FIT_SEES_ALL: none */
    size_t after;             /* starts from the result of that fit, earlier in the list; or: */
    const double *initial;    /* starts here; NULL: from zero. As fit_end.w */
    const double *second;     /* with `initial`: the result before that one, for the extrapolation; or NULL */
    /* Along a path of penalties: the start is the last result plus this multiple of its difference from the result
     * before that one, if there is one. 0: no extrapolation. */
    double extrapolation;
    /* Batched fits: NULL, or the solver to continue with, whose pairs are used in place of a preconditioner, and which
     * is left there again. The pairs of different fits of a job are different. */
    struct kept_solver *kept;
    size_t member; /* with fits_job.objective: its number there */
};

/* The result of a fit. The arrays are valid during the call that reports it. */
struct fit_end {
    size_t fit; /* its index */
    enum optim_stop stop;
    size_t iterations, evaluations;
    const double *w;          /* for scaled features: [column * vectors + k], then intercepts */
    const double *activation; /* of all rows of this process, those left out too: [row * vectors + k] */
};

struct fits_job {
    const struct scaled_features *features;
    const struct split *partition; /* those that the fits refer to; of the rows of all processes */
    const struct fit_spec *fit;
    size_t count;
    /* Used are tolerance, max_iterations, solver, precision, no_intercept and seed. */
    const temper_train_options *options;
    size_t threads; /* at least 1 */
    bool converges; /* as a final fit does; false: the gradient alone decides when a fit stops */
    /* Batched fits. Above 0: a fit has converged where no entry of its gradient exceeds this, whatever the tolerance
     * is. */
    double gradient_entry;
    /* NULL, or the objective of these fits, and perhaps of others, by fits_objective_new. */
    struct multi_objective *objective;
    bool few; /* a Gram matrix of all rows would take longer than it saves */
    /* NULL, or weights as fit_end.w near which all fits are expected to end: the batched ones of a convex loss are
     * preconditioned by the Hessian there, in place of that at W = 0. They have one loss. */
    const double *curvature_at;
    /* Called after each fit by the thread that has computed its scores, before `ended`, and perhaps for several fits at
     * the same time; `error` may be NULL. May be NULL. */
    temper_status (*scored)(void *context, const struct fit_end *end, temper_error *error);
    /* Called after each fit, one call at a time, in no particular order but the same on all processes; a status other
     * than TEMPER_OK ends all fits. */
    temper_status (*ended)(void *context, const struct fit_end *end, temper_error *error);
    /* Called after every iteration of any fit, one call at a time; false, which must be so on all processes, ends all
     * fits. May be NULL. */
    bool (*goes_on)(void *context);
    void *context;
};

/* Features of sparse rows up to which fits are preconditioned by curvature_at, as of Newton's method in a training. */
enum { FITS_SPARSE_HESSIAN_MOST = 500 };

/* *finished is false where goes_on ended it. */
temper_status fits_run(const struct fits_job *job, bool *finished, temper_error *error);

/* Estimated bytes of `fits` fits, and of a single one with any options; `block` as in objective_bytes. */
double fits_bytes(const struct dataset *data, const temper_train_options *options, size_t fits, size_t threads,
                  double *block);
double one_fit_bytes(const struct dataset *data, size_t threads, double *block);

/* Whether the solver of the options can advance many fits at once. */
bool fits_solver_batches(const struct fits_job *job);
/* In step: one pass over the rows serves all fits. For two classes. */
temper_status fits_batched(const struct fits_job *job, bool *finished, temper_error *error);
/* The objective of the fits of a job, which several jobs can share: fit i is member i. Freed by multi_objective_free.
 */
temper_status fits_objective_new(const struct fits_job *job, struct multi_objective **out, temper_error *error);
/* One training for each fit, several at a time. Any data, any loss. */
temper_status fits_separate(const struct fits_job *job, bool *finished, temper_error *error);

/* For the extrapolation of a start: the earlier fit of the job that the one before `fit` started from, or
 * FIT_BEGINS_AT_ZERO; and in that case weights that the caller gave, or NULL. */
size_t fit_second_start(const struct fits_job *job, const struct fit_spec *fit);
const double *fit_given_second(const struct fits_job *job, const struct fit_spec *fit);

/* The results that a start is made of. */
struct fit_ends {
    const double *last, *second; /* second: NULL if there is none */
    size_t size;
};

/* The start by the extrapolation of the fit: computed in `start`, or `last` itself where nothing is extrapolated. */
const double *fit_extrapolate(const struct fit_spec *fit, struct fit_ends ends, double *start);

/* Weight vectors of a fit, and numbers of its w. */
size_t fits_vectors(const struct scaled_features *features);
size_t fits_size(const struct scaled_features *features, const temper_train_options *options);

#endif
