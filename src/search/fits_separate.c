/* fits_separate: one training for each fit, several at a time.
 *
 * Fits that start from the result of another one form a chain, which is the work of one thread. Several processes run
 * one fit after another, with all threads within each. */
#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "data/subset.h"
#include "search/many_fits.h"
#include "train/train.h"

/* The state that all threads share. `job`, `shared`, `root` and `chain` are read-only while threads run. */
struct separate_fits {
    const struct fits_job *job;
    struct shared_preconditioners *shared;
    size_t *root;  /* of each fit: the first of its chain */
    size_t *chain; /* the roots */
    size_t chains;
    size_t at_once, threads; /* chains at a time, and threads within a fit */
    pthread_mutex_t lock;    /* guards the caller's calls, and: */
    bool stopped;
    temper_error *error; /* of the failed fit with the smallest number */
    size_t failed;       /* its number; job->count: none has failed */
};

/* One fit in progress, owned by one thread. */
struct separate_fit {
    struct separate_fits *all;
    struct dataset *data; /* the same rows, those left out with weight 0 */
    temper_train_options options;
    struct shared_preconditioner own; /* of a pilot fit, if there is no shared one for this fit */
    struct train_fit_result result;
    temper_error error;
};

/* ---- One fit --------------------------------------------------------------------------------- */

/* The callback of train(), called on any thread after each iteration; other than 0 ends the training. The lock makes
 * the caller's goes_on single-threaded. A failure of one fit ends the others too. */
static int report_progress(void *context, const temper_train_progress *progress)
{
    struct separate_fits *all = context;
    const struct fits_job *job = all->job;
    (void)progress;
    pthread_mutex_lock(&all->lock);
    if (!all->stopped && job->goes_on)
        all->stopped = !job->goes_on(job->context);
    bool stopped = all->stopped || all->failed < job->count;
    pthread_mutex_unlock(&all->lock);
    return stopped;
}

/* Lets chains that have not begun when the caller stops return without a single iteration. */
static bool is_stopped(struct separate_fits *all)
{
    pthread_mutex_lock(&all->lock);
    bool stopped = all->stopped;
    pthread_mutex_unlock(&all->lock);
    return stopped;
}

/* The settings that all pilot fits of this job share. A pilot fit is a fit on all rows, from which the
 * preconditioners of fits that leave rows out are made; they change the path of the optimiser, not what it
 * minimises. */
static struct pilot_spec pilot_spec(struct separate_fits *all, size_t threads)
{
    return (struct pilot_spec){.features = all->job->features,
                               .options = all->job->options,
                               .on_progress = report_progress,
                               .progress_context = all,
                               .threads = threads};
}

/* Whether a fit should use a preconditioner from a pilot fit. A fit of all rows is not one of several similar ones,
 * and solvers other than L-BFGS do not use such preconditioners. */
static struct pilot_target pilot_target(const struct fits_job *job, const struct fit_spec *fit)
{
    return (struct pilot_target){fit->loss, fit->l2,
                                 fit->part != FIT_SEES_ALL && fit->l1 == 0 && fits_solver_batches(job) &&
                                     shared_preconditioner_suits(fit->loss, job->features->data)};
}

/* *shared is the preconditioner of a pilot fit, made earlier for several fits or now for this one; NULL: the
 * training makes one. *finished is false if the caller stopped the pilot fit. */
static temper_status find_preconditioner(struct separate_fit *self, size_t number,
                                         const struct shared_preconditioner **shared, bool *finished)
{
    struct separate_fits *all = self->all;
    struct pilot_spec spec = pilot_spec(all, all->threads);
    struct pilot_target target = pilot_target(all->job, &all->job->fit[number]);
    *finished = true;
    *shared = shared_preconditioners_find(all->shared, number);
    if (*shared || !target.wanted)
        return TEMPER_OK;
    *shared = &self->own;
    return shared_preconditioner_fit(&spec, &target, &self->own, finished, &self->error);
}

/* Trains one fit from `initial`. If its pilot fit was stopped, there is no result, which run_fit treats as a stopped
 * fit. Options that would make train() do more than one fit (starts, validation, checkpoints) keep their defaults. */
static temper_status solve(struct separate_fit *self, size_t number, const double *initial)
{
    const struct fits_job *job = self->all->job;
    const struct fit_spec *fit = &job->fit[number];
    temper_train_options *options = &self->options;
    struct train_request request = {.data = self->data,
                                    .features = job->features,
                                    .options = options,
                                    .error = &self->error,
                                    .converges = job->converges,
                                    .initial = initial};
    bool finished;
    TRY(find_preconditioner(self, number, &request.shared, &finished));
    if (!finished)
        return TEMPER_OK;
    *options = temper_train_defaults();
    options->tolerance = job->options->tolerance;
    options->max_iterations = job->options->max_iterations;
    options->solver = job->options->solver;
    options->precision = job->options->precision;
    options->no_intercept = job->options->no_intercept;
    options->seed = job->options->seed; /* forward correction draws halves of the rows */
    options->l2 = fit->l2;
    options->l1 = fit->l1;
    options->threads = self->all->threads;
    options->on_progress = report_progress;
    options->progress_context = self->all;
    return train_fit(&request, fit->loss, &self->result);
}

/* Computes the scores of all rows, those left out too, and calls job->ended under the lock. Fits run on several threads
 * at once, and the caller's function is not prepared for that: the lock makes its calls one after the other. The scores
 * are computed outside of it, and job->scored is called there. */
static temper_status report_end(struct separate_fit *self, size_t number)
{
    struct separate_fits *all = self->all;
    const struct fits_job *job = all->job;
    const struct train_fit_result *result = &self->result;
    size_t rows = (size_t)job->features->data->x.rows, vectors = fits_vectors(job->features);
    double *a = mem_alloc(rows, vectors * sizeof *a);
    if (!a)
        return error_no_memory(&self->error);
    struct solution solution = {result->solution, vectors, !job->options->no_intercept};
    temper_status status = scaled_features_activations(job->features, solution, all->threads, a, &self->error);
    if (status == TEMPER_OK) {
        struct fit_end end = {number, result->stop, result->iterations, result->evaluations, result->solution, a};
        if (job->scored)
            status = job->scored(job->context, &end, &self->error);
        pthread_mutex_lock(&all->lock);
        if (status == TEMPER_OK)
            status = job->ended(job->context, &end, &self->error);
        pthread_mutex_unlock(&all->lock);
    }
    mem_free(a);
    return status;
}

/* Fits from `initial` (NULL: zero), reports the result, and copies the solution to w, from which later fits of the
 * chain may start. *done is false if the fit was stopped or has failed. The dataset borrows the features and has its
 * own weights, 0 for the rows of the part that is left out: no feature is copied. */
static temper_status run_fit(struct separate_fit *self, size_t number, const double *initial, double *w, bool *done)
{
    const struct fits_job *job = self->all->job;
    const struct dataset *all_rows = job->features->data;
    const struct fit_spec *fit = &job->fit[number];
    temper_status status =
        fit->part == FIT_SEES_ALL
            ? dataset_borrow(all_rows, &self->data, &self->error)
            : dataset_without_part(all_rows, job->partition[fit->partition].part, fit->part, &self->data, &self->error);
    if (status == TEMPER_OK)
        status = solve(self, number, initial);
    *done = status == TEMPER_OK && !self->result.interrupted && self->result.solution;
    if (*done) {
        memcpy(w, self->result.solution, self->result.size * sizeof *w);
        status = report_end(self, number);
    }
    train_fit_free(&self->result);
    shared_preconditioner_free(&self->own);
    dataset_free(self->data);
    return status;
}

/* ---- Chains ---------------------------------------------------------------------------------- */

/* Keeps the error of the failed fit with the smallest number. If several fail, the error is then less dependent on
 * the timing of the threads. */
static void record_failure(struct separate_fits *all, size_t number, const temper_error *error)
{
    pthread_mutex_lock(&all->lock);
    if (number < all->failed) {
        all->failed = number;
        if (all->error)
            *all->error = *error;
    }
    pthread_mutex_unlock(&all->lock);
}

/* The solutions of one chain: [position * size], in the order in which they were found. */
struct fit_chain {
    size_t root, size;
    double *solution;
    size_t *position; /* of each fit of the job: where its solution is */
};

/* The weights at which fit `number` starts, NULL: zero; in `room` where they are extrapolated. */
static const double *link_start(const struct fits_job *job, const struct fit_chain *chain, size_t number, double *room)
{
    const struct fit_spec *fit = &job->fit[number];
    size_t second = fit_second_start(job, fit);
    struct fit_ends ends = {fit->initial, fit_given_second(job, fit), chain->size};
    if (fit->after != FIT_BEGINS_AT_ZERO)
        ends.last = chain->solution + chain->position[fit->after] * chain->size;
    if (second != FIT_BEGINS_AT_ZERO)
        ends.second = chain->solution + chain->position[second] * chain->size;
    return ends.last ? fit_extrapolate(fit, ends, room) : NULL;
}

/* Runs the fits of a chain in the order of the list, in which every fit comes after the one that it starts from. *at
 * is the fit in progress, for the error. */
static temper_status run_links(struct separate_fit *self, struct fit_chain *chain, size_t *at)
{
    struct separate_fits *all = self->all;
    const struct fits_job *job = all->job;
    size_t count = 0, size = chain->size;
    bool done = !is_stopped(all);
    for (size_t i = chain->root; done && i < job->count; i++) {
        if (all->root[i] != chain->root)
            continue;
        /* Positions count the fits of this chain only. */
        chain->position[i] = count++;
        double *solution = chain->solution + chain->position[i] * size;
        *at = i;
        *self = (struct separate_fit){.all = all};
        TRY(run_fit(self, i, link_start(job, chain, i, solution), solution, &done));
    }
    return TEMPER_OK;
}

/* The work of one thread: allocates the solutions of a chain and runs its fits. A chain is a fit that starts from zero
 * and all that start from its solution, directly or not; its fits depend on one another and run on one thread, while
 * chains are independent. */
static temper_status run_chain(void *context, size_t number, size_t worker)
{
    struct separate_fits *all = context;
    const struct fits_job *job = all->job;
    struct separate_fit self = {.all = all};
    struct fit_chain chain = {.root = all->chain[number], .size = fits_size(job->features, job->options)};
    size_t at = chain.root, length = 0;
    (void)worker;
    /* The length of the chain: fits of a chain need not be adjacent in the list. */
    for (size_t i = chain.root; i < job->count; i++)
        length += all->root[i] == chain.root;
    chain.solution = mem_alloc(length, chain.size * sizeof *chain.solution);
    chain.position = mem_alloc(job->count, sizeof *chain.position);
    temper_status status =
        chain.solution && chain.position ? run_links(&self, &chain, &at) : error_no_memory(&self.error);
    if (status != TEMPER_OK)
        record_failure(all, at, &self.error);
    mem_free(chain.solution);
    mem_free(chain.position);
    return status;
}

/* Finds the first fit of every chain, and divides the threads: one per chain, or several within each fit if there
 * are fewer chains than threads. `after` is always an earlier fit, so that one pass is enough. */
static void find_chains(struct separate_fits *all)
{
    const struct fits_job *job = all->job;
    for (size_t i = 0; i < job->count; i++) {
        size_t after = job->fit[i].after;
        all->root[i] = after == FIT_BEGINS_AT_ZERO ? i : all->root[after];
        if (after == FIT_BEGINS_AT_ZERO)
            all->chain[all->chains++] = i;
    }
    /* One process: chains in parallel, and spare threads within each fit. */
    all->at_once = job->threads;
    all->threads = all->chains && all->chains < job->threads ? job->threads / all->chains : 1;
    if (!comm_alone(job->features->data->ranks.comm)) {
        all->at_once = 1;
        all->threads = job->threads;
    }
}

/* Makes all->shared: one pilot fit for each loss and penalty that several fits have in common, such as the folds of
 * a candidate. */
static temper_status make_shared_preconditioners(struct separate_fits *all, bool *finished)
{
    const struct fits_job *job = all->job;
    struct pilot_spec spec = pilot_spec(all, job->threads);
    struct pilot_target *target = mem_alloc(job->count, sizeof *target);
    if (!target)
        return error_no_memory(all->error);
    for (size_t i = 0; i < job->count; i++)
        target[i] = pilot_target(job, &job->fit[i]);
    temper_status status = shared_preconditioners_new(&spec, target, job->count, &all->shared, finished, all->error);
    mem_free(target);
    return status;
}

/* Pilot fits come first, one after another with all threads each, since chains depend on them; then the chains in
 * parallel. */
static temper_status run_all(struct separate_fits *all, bool *finished)
{
    if (pthread_mutex_init(&all->lock, NULL) != 0)
        return error_no_memory(all->error);
    temper_status status = make_shared_preconditioners(all, finished);
    if (status == TEMPER_OK && *finished) {
        find_chains(all);
        status = parallel_blocks(all->chains, all->at_once, run_chain, all);
    }
    /* Stopped fits are no failure: parallel_blocks returned TEMPER_OK, and `stopped` distinguishes the two. */
    *finished = status == TEMPER_OK && !all->stopped;
    shared_preconditioners_free(all->shared);
    pthread_mutex_destroy(&all->lock);
    return status;
}

/* Slower than fits_batched on two classes, but for any number of classes, any loss and any solver. */
temper_status fits_separate(const struct fits_job *job, bool *finished, temper_error *error)
{
    struct separate_fits all = {.job = job,
                                .root = mem_alloc(job->count, sizeof *all.root),
                                .chain = mem_alloc(job->count, sizeof *all.chain),
                                .error = error,
                                .failed = job->count};
    *finished = false;
    temper_status status = all.root && all.chain ? run_all(&all, finished) : error_no_memory(error);
    mem_free(all.root);
    mem_free(all.chain);
    return status;
}
