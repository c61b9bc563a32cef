/* fits_separate: one training after the other, several at a time: a chain of fits, each of which
 * begins where the one before it ended, to a thread. Several processes go through one after the
 * other, all threads within each. */
#include "search/many_fits.h"

#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "data/subset.h"
#include "train/train.h"

/* What the threads share. */
struct crew {
    const struct fits_job *job;
    struct shared_preconditioners *pilots;
    size_t *root;  /* of each fit: the first of its chain */
    size_t *chain; /* the roots */
    size_t chains;
    size_t at_once, inside; /* threads: chains at a time, and within a training */
    pthread_mutex_t lock;   /* guards the caller's callbacks, and: */
    bool stopped;
    temper_error *error; /* of the fit with the smallest number that failed */
    size_t failed;
};

/* One fit on its way. */
struct fitting {
    struct crew *crew;
    struct dataset *data; /* with the weights that it sees */
    temper_train_options options;
    struct shared_preconditioner pilot; /* its own, if there is none for it */
    struct train_fit_result result;
    temper_error error;
};

/* ---- One fit --------------------------------------------------------------------------------- */

static bool sees(const struct fits_job *job, const struct fit_spec *fit, size_t row)
{
    size_t among_all = (size_t)job->features->data->ranks.first_row + row;
    return fit->part == FIT_SEES_ALL || job->partition[fit->partition].part[among_all] != fit->part;
}

/* The same rows, where those that the fit must not see weigh nothing. */
static temper_status hide_rows(const struct fits_job *job, const struct fit_spec *fit, struct dataset **out,
                               temper_error *error)
{
    const struct dataset *all = job->features->data;
    size_t rows = (size_t)all->x.rows;
    double *weight = mem_alloc(rows, sizeof *weight);
    if (!weight)
        return error_no_memory(error);
    for (size_t row = 0; row < rows; row++)
        weight[row] = sees(job, fit, row) ? all->weight ? all->weight[row] : 1 : 0;
    temper_status status = dataset_borrow(all, out, error);
    if (status != TEMPER_OK) {
        mem_free(weight);
        return status;
    }
    mem_free((*out)->weight);
    (*out)->weight = weight;
    return TEMPER_OK;
}

static int follow(void *context, const temper_train_progress *progress)
{
    struct crew *crew = context;
    const struct fits_job *job = crew->job;
    (void)progress;
    pthread_mutex_lock(&crew->lock);
    if (!crew->stopped && job->goes_on)
        crew->stopped = !job->goes_on(job->context);
    bool stopped = crew->stopped || crew->failed < job->count;
    pthread_mutex_unlock(&crew->lock);
    return stopped;
}

/* Of a thousand fits that have not begun, none should, not even for one iteration. */
static bool is_stopped(struct crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    bool stopped = crew->stopped;
    pthread_mutex_unlock(&crew->lock);
    return stopped;
}

/* What pilot fits have in common. */
static struct pilot_spec pilot_spec(struct crew *crew, size_t threads)
{
    return (struct pilot_spec){.features = crew->job->features,
                               .options = crew->job->options,
                               .on_progress = follow,
                               .progress_context = crew,
                               .threads = threads};
}

/* Fits that leave rows out use the preconditioners of a pilot fit, where these pay. */
static struct pilot_target pilot_target(const struct fits_job *job, const struct fit_spec *fit)
{
    return (struct pilot_target){fit->loss, fit->l2,
                                 fit->part != FIT_SEES_ALL && fits_solver_batches(job) &&
                                     shared_preconditioner_suits(fit->loss, job->features->data)};
}

/* Whose metrics it takes its steps in, *lent; NULL: it makes its own on the way. */
static temper_status find_pilot(struct fitting *fitting, size_t number, const struct shared_preconditioner **lent,
                                bool *goes_on)
{
    struct crew *crew = fitting->crew;
    struct pilot_spec spec = pilot_spec(crew, crew->inside);
    struct pilot_target target = pilot_target(crew->job, &crew->job->fit[number]);
    *goes_on = true;
    *lent = shared_preconditioners_find(crew->pilots, number);
    if (*lent || !target.wanted)
        return TEMPER_OK;
    *lent = &fitting->pilot;
    return shared_preconditioner_fit(&spec, &target, &fitting->pilot, goes_on, &fitting->error);
}

static temper_status solve(struct fitting *fitting, size_t number, const double *begin)
{
    const struct fits_job *job = fitting->crew->job;
    const struct fit_spec *fit = &job->fit[number];
    const struct shared_preconditioner *lent;
    bool goes_on;
    temper_status status = find_pilot(fitting, number, &lent, &goes_on);
    if (status != TEMPER_OK || !goes_on)
        return status;
    fitting->options = temper_train_defaults();
    fitting->options.tolerance = job->options->tolerance;
    fitting->options.max_iterations = job->options->max_iterations;
    fitting->options.solver = job->options->solver;
    fitting->options.precision = job->options->precision;
    fitting->options.no_intercept = job->options->no_intercept;
    fitting->options.l2 = fit->l2;
    fitting->options.threads = fitting->crew->inside;
    fitting->options.on_progress = follow;
    fitting->options.progress_context = fitting->crew;
    struct train_request request = {.data = fitting->data,
                                    .features = job->features,
                                    .options = &fitting->options,
                                    .error = &fitting->error,
                                    .shared = lent,
                                    .initial = begin};
    return train_fit(&request, fit->loss, &fitting->result);
}

/* Shows the caller what became of it. */
static temper_status show(struct fitting *fitting, size_t number)
{
    struct crew *crew = fitting->crew;
    const struct fits_job *job = crew->job;
    const struct train_fit_result *result = &fitting->result;
    size_t rows = (size_t)job->features->data->x.rows, vectors = fits_vectors(job->features);
    double *a = mem_alloc(rows, vectors * sizeof *a);
    if (!a)
        return error_no_memory(&fitting->error);
    struct solution solution = {result->solution, vectors, !job->options->no_intercept};
    temper_status status = scaled_features_activations(job->features, solution, crew->inside, a, &fitting->error);
    if (status == TEMPER_OK) {
        struct fit_end end = {number, result->stop, result->iterations, result->evaluations, result->solution, a};
        pthread_mutex_lock(&crew->lock);
        status = job->ended(job->context, &end, &fitting->error);
        pthread_mutex_unlock(&crew->lock);
    }
    mem_free(a);
    return status;
}

/* `w` is where it begins and, after it, where it ended; *done is false if it was stopped. */
static temper_status run_fit(struct fitting *fitting, size_t number, const double *begin, double *w, bool *done)
{
    const struct fits_job *job = fitting->crew->job;
    const struct fit_spec *fit = &job->fit[number];
    temper_status status = hide_rows(job, fit, &fitting->data, &fitting->error);
    if (status == TEMPER_OK)
        status = solve(fitting, number, begin);
    *done = status == TEMPER_OK && !fitting->result.interrupted && fitting->result.solution;
    if (*done) {
        memcpy(w, fitting->result.solution, fitting->result.size * sizeof *w);
        status = show(fitting, number);
    }
    train_fit_free(&fitting->result);
    shared_preconditioner_free(&fitting->pilot);
    dataset_free(fitting->data);
    return status;
}

/* ---- Chains ---------------------------------------------------------------------------------- */

static void fail(struct crew *crew, size_t number, const temper_error *error)
{
    pthread_mutex_lock(&crew->lock);
    if (number < crew->failed) {
        crew->failed = number;
        if (crew->error)
            *crew->error = *error;
    }
    pthread_mutex_unlock(&crew->lock);
}

static size_t chain_length(const struct crew *crew, size_t root)
{
    size_t length = 0;
    for (size_t i = root; i < crew->job->count; i++)
        length += crew->root[i] == root;
    return length;
}

/* The ends of a chain: several fits may begin at the same one. */
struct chain {
    size_t root, size;
    double *end;   /* of each fit that is over */
    size_t *place; /* which of them is that of a fit */
};

static temper_status run_links(struct fitting *fitting, struct chain *chain, size_t *at)
{
    struct crew *crew = fitting->crew;
    const struct fits_job *job = crew->job;
    temper_status status = TEMPER_OK;
    size_t ends = 0, size = chain->size;
    bool done = !is_stopped(crew);
    for (size_t i = chain->root; status == TEMPER_OK && done && i < job->count; i++) {
        size_t after = job->fit[i].after;
        if (crew->root[i] != chain->root)
            continue;
        chain->place[i] = ends++;
        const double *begin = after == FIT_BEGINS_AT_ZERO ? NULL : chain->end + chain->place[after] * size;
        *at = i;
        *fitting = (struct fitting){.crew = crew};
        status = run_fit(fitting, i, begin, chain->end + chain->place[i] * size, &done);
    }
    return status;
}

static temper_status run_chain(void *context, size_t number, size_t worker)
{
    struct crew *crew = context;
    const struct fits_job *job = crew->job;
    struct fitting fitting = {.crew = crew};
    struct chain chain = {.root = crew->chain[number], .size = fits_size(job->features, job->options)};
    size_t at = chain.root;
    (void)worker;
    chain.end = mem_alloc(chain_length(crew, chain.root), chain.size * sizeof *chain.end);
    chain.place = mem_alloc(job->count, sizeof *chain.place);
    temper_status status = TEMPER_NO_MEMORY;
    if (chain.end && chain.place)
        status = run_links(&fitting, &chain, &at);
    else
        error_no_memory(&fitting.error);
    if (status != TEMPER_OK)
        fail(crew, at, &fitting.error);
    mem_free(chain.end);
    mem_free(chain.place);
    return status;
}

/* A chain is known by its first fit. */
static void find_chains(struct crew *crew)
{
    const struct fits_job *job = crew->job;
    for (size_t i = 0; i < job->count; i++) {
        size_t after = job->fit[i].after;
        crew->root[i] = after == FIT_BEGINS_AT_ZERO ? i : crew->root[after];
        if (after == FIT_BEGINS_AT_ZERO)
            crew->chain[crew->chains++] = i;
    }
    crew->at_once = job->threads;
    crew->inside = crew->chains && crew->chains < job->threads ? job->threads / crew->chains : 1;
    if (!comm_alone(job->features->data->ranks.comm)) { /* processes must talk of the same fit */
        crew->at_once = 1;
        crew->inside = job->threads;
    }
}

static temper_status fit_pilots(struct crew *crew, bool *finished)
{
    const struct fits_job *job = crew->job;
    struct pilot_spec spec = pilot_spec(crew, job->threads);
    struct pilot_target *target = mem_alloc(job->count, sizeof *target);
    if (!target)
        return error_no_memory(crew->error);
    for (size_t i = 0; i < job->count; i++)
        target[i] = pilot_target(job, &job->fit[i]);
    temper_status status = shared_preconditioners_new(&spec, target, job->count, &crew->pilots, finished, crew->error);
    mem_free(target);
    return status;
}

static temper_status run_all(struct crew *crew, bool *finished)
{
    if (pthread_mutex_init(&crew->lock, NULL) != 0)
        return error_no_memory(crew->error);
    temper_status status = fit_pilots(crew, finished);
    if (status == TEMPER_OK && *finished) {
        find_chains(crew);
        status = parallel_blocks(crew->chains, crew->at_once, run_chain, crew);
    }
    *finished = status == TEMPER_OK && !crew->stopped;
    shared_preconditioners_free(crew->pilots);
    pthread_mutex_destroy(&crew->lock);
    return status;
}

temper_status fits_separate(const struct fits_job *job, bool *finished, temper_error *error)
{
    struct crew crew = {.job = job,
                        .root = mem_alloc(job->count, sizeof *crew.root),
                        .chain = mem_alloc(job->count, sizeof *crew.chain),
                        .error = error,
                        .failed = job->count};
    *finished = false;
    temper_status status = crew.root && crew.chain ? run_all(&crew, finished) : error_no_memory(error);
    mem_free(crew.root);
    mem_free(crew.chain);
    return status;
}
