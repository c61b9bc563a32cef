/* pilots: the first few iterations of a training, and the metric of where they led to. */
#include "search/preconditioner_shared.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "search/many_fits.h"
#include "tempered/loss_family.h"

/* Of all metrics that are lent, together. */
static const double MOST_BYTES = PRECONDITIONER_MOST_BYTES;

struct shared_preconditioners {
    struct shared_preconditioner *pilot;
    size_t count;
    size_t *of; /* which one is that of a fit; NONE: none */
};

static const size_t NONE = SIZE_MAX;

/* ---- Who has one ----------------------------------------------------------------------------- */

static bool same_aim(const struct fit_spec *a, const struct fit_spec *b)
{
    return loss_same_spec(a->loss, b->loss) && a->l2 == b->l2;
}

bool shared_preconditioner_suits(const struct fits_job *job, const struct fit_spec *fit)
{
    return fit->part != FIT_SEES_ALL && job->features->data->classes.count > 2 && fits_solver_batches(job) &&
           loss_is_two_temperature(fit->loss) && preconditioner_suits(fit->loss, job->features->data);
}

static double bytes_of(const struct dataset *data, temper_loss_spec loss)
{
    double n = (double)data->x.columns + 1;
    bool by_class = preconditioner_by_class(data, loss, (size_t)n);
    return n * n * sizeof(double) * (by_class ? (double)data->classes.count : loss_is_convex_in_support(loss) ? 1 : 2);
}

static bool has_company(const struct fits_job *job, size_t number)
{
    for (size_t i = number + 1; i < job->count; i++)
        if (shared_preconditioner_suits(job, &job->fit[i]) && same_aim(&job->fit[i], &job->fit[number]))
            return true;
    return false;
}

/* The first fit of each metric, in `first`; returns how many there are. */
static size_t assign(const struct fits_job *job, size_t *of, size_t *first)
{
    size_t count = 0;
    double bytes = 0;
    for (size_t i = 0; i < job->count; i++) {
        const struct fit_spec *fit = &job->fit[i];
        size_t k = 0;
        of[i] = NONE;
        if (!shared_preconditioner_suits(job, fit))
            continue;
        while (k < count && !same_aim(fit, &job->fit[first[k]]))
            k++;
        if (k == count && has_company(job, i) && bytes + bytes_of(job->features->data, fit->loss) <= MOST_BYTES) {
            bytes += bytes_of(job->features->data, fit->loss);
            first[count++] = i;
        }
        if (k < count)
            of[i] = k;
    }
    return count;
}

double shared_preconditioners_most_bytes(const struct dataset *data, size_t fits)
{
    static const temper_loss_spec logistic = {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1},
                                  tempered = {.method = TEMPER_TEMPERED, .t1 = 0, .t2 = 1};
    double each = fmax(bytes_of(data, logistic), bytes_of(data, tempered));
    if (data->classes.count == 2 || !preconditioner_suits(logistic, data))
        return 0;
    return fmin(MOST_BYTES, floor((double)fits / 2) * each);
}

/* ---- One of them ----------------------------------------------------------------------------- */

/* Takes the iterations that are taken in the metric of W = 0, and makes the next one. */
temper_status shared_preconditioner_fit(const struct fits_job *job, const struct fit_spec *fit,
                                        struct pilot_progress watch, struct shared_preconditioner *out, bool *finished,
                                        temper_error *error)
{
    temper_train_options options = temper_train_defaults();
    options.tolerance = job->options->tolerance;
    options.max_iterations = FIRST_PRECONDITIONER;
    options.solver = job->options->solver;
    options.precision = job->options->precision;
    options.no_intercept = job->options->no_intercept;
    options.l2 = fit->l2;
    options.threads = watch.threads;
    options.on_progress = watch.on_progress;
    options.progress_context = watch.context;
    struct training_run t = {.given = job->features->data,
                             .data = job->features->data,
                             .ground = job->features,
                             .options = &options,
                             .error = error,
                             .loss = fit->loss,
                             .first_metric = loss_is_convex_in_support(fit->loss) ? NULL : &out->first};
    temper_status status = training_plan(&t);
    if (status == TEMPER_OK)
        status = training_start(&t);
    if (status == TEMPER_OK)
        status = training_solve(&t);
    *finished = !t.interrupted;
    if (status == TEMPER_OK && t.whiten) {
        out->then = t.metric;
        t.metric = (struct preconditioner){0};
    }
    training_free(&t);
    return status;
}

void shared_preconditioner_free(struct shared_preconditioner *pilot)
{
    preconditioner_free(&pilot->first);
    preconditioner_free(&pilot->then);
}

/* ---- All ------------------------------------------------------------------------------------- */

temper_status shared_preconditioners_new(const struct fits_job *job, struct pilot_progress watch,
                                         struct shared_preconditioners **out, bool *finished, temper_error *error)
{
    struct shared_preconditioners *pilots = mem_zeroed(1, sizeof *pilots);
    size_t *first = mem_alloc(job->count, sizeof *first);
    temper_status status = TEMPER_OK;
    if (pilots) {
        pilots->pilot = mem_zeroed(job->count, sizeof *pilots->pilot);
        pilots->of = mem_alloc(job->count, sizeof *pilots->of);
    }
    if (!pilots || !first || !pilots->pilot || !pilots->of)
        status = error_no_memory(error);
    *finished = true;
    if (status == TEMPER_OK)
        pilots->count = assign(job, pilots->of, first);
    for (size_t k = 0; status == TEMPER_OK && *finished && k < pilots->count; k++)
        status = shared_preconditioner_fit(job, &job->fit[first[k]], watch, &pilots->pilot[k], finished, error);
    mem_free(first);
    if (status == TEMPER_OK)
        *out = pilots;
    else
        shared_preconditioners_free(pilots);
    return status;
}

void shared_preconditioners_free(struct shared_preconditioners *pilots)
{
    if (!pilots)
        return;
    for (size_t k = 0; k < pilots->count; k++)
        shared_preconditioner_free(&pilots->pilot[k]);
    mem_free(pilots->pilot);
    mem_free(pilots->of);
    mem_free(pilots);
}

const struct shared_preconditioner *shared_preconditioners_find(const struct shared_preconditioners *pilots, size_t fit)
{
    return pilots->of[fit] == NONE ? NULL : &pilots->pilot[pilots->of[fit]];
}
