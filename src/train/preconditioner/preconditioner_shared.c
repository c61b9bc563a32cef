/* preconditioner_shared: decides which fits of a search share a pilot fit, and makes the pilot fits.
 *
 * Fits of equal loss and penalty on different folds have nearly the same Hessian. Where at least two of them want a
 * preconditioner, one pilot fit on all rows computes it: a few iterations with the preconditioner of W = 0, then the
 * Gram matrices at the weights reached. Memory for the factors is bounded; targets are served in their order until it
 * is used up. */
#include "train/preconditioner/preconditioner_shared.h"

#include <math.h>

#include "base/memory.h"
#include "tempered/loss_family.h"
#include "train/train.h"

/* Bytes of all shared factors together. */
static const double MAX_BYTES = PRECONDITIONER_MOST_BYTES;
static const size_t NONE = SIZE_MAX;

struct shared_preconditioners {
    struct shared_preconditioner *pilot; /* one for each pilot fit */
    size_t count;                        /* of pilot fits */
    size_t *pilot_of;                    /* for each target, the number of its pilot fit, or NONE */
};

/* ---- Which fits share ------------------------------------------------------------------------ */

/* Losses with several optima follow the path of a separate training, so that they end in the same optimum. */
bool shared_preconditioner_has_initial(temper_loss_spec loss)
{
    return !loss_is_convex_in_support(loss);
}

/* Whether one preconditioner serves both: the Hessian depends on loss and penalty. */
static bool same_target(const struct pilot_target *a, const struct pilot_target *b)
{
    return loss_same_spec(a->loss, b->loss) && a->l2 == b->l2;
}

/* Many classes only: for two a Gram matrix is cheap relative to the fit itself. */
bool shared_preconditioner_suits(temper_loss_spec loss, const struct dataset *data)
{
    return preconditioner_is_renewed(data, loss) && preconditioner_suits(loss, data);
}

/* The bytes of the factors of one pilot fit: the later ones, one for all classes or one for each, and where it is
 * shared too, that of W = 0. */
static double pilot_bytes(const struct dataset *data, temper_loss_spec loss)
{
    double n = (double)data->x.columns + 1;
    bool per_class = preconditioner_per_class(data, loss, (size_t)n);
    double later = per_class ? (double)data->classes.count : 1;
    return n * n * sizeof(double) * (later + (shared_preconditioner_has_initial(loss) ? 1 : 0));
}

/* Whether a later target wants the same: a pilot fit that serves one fit would cost as much as it saves. */
static bool wanted_again(const struct pilot_target *target, size_t count, size_t number)
{
    for (size_t i = number + 1; i < count; i++)
        if (target[i].wanted && same_target(&target[i], &target[number]))
            return true;
    return false;
}

/* Fills pilot_of, and in `first` the first target of each pilot fit; returns how many pilot fits there are. Targets are
 * served in their order until MAX_BYTES are used up. Quadratic in the number of targets, of which there are hundreds at
 * most. */
static size_t assign_pilot_fits(const struct dataset *data, const struct pilot_target *target, size_t count,
                                size_t *pilot_of, size_t *first)
{
    size_t fits = 0;
    double bytes = 0;
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        pilot_of[i] = NONE;
        if (!target[i].wanted)
            continue;
        /* The pilot fit of an equal target before this one, if there is any. */
        while (k < fits && !same_target(&target[i], &target[first[k]]))
            k++;
        double more = pilot_bytes(data, target[i].loss);
        if (k == fits && wanted_again(target, count, i) && bytes + more <= MAX_BYTES) {
            bytes += more;
            first[fits++] = i;
        }
        if (k < fits)
            pilot_of[i] = k;
    }
    return fits;
}

/* An upper bound for memory budgets, made before the targets are known: every pilot fit serves at least two fits, and
 * needs what the most demanding loss needs. */
double shared_preconditioners_most_bytes(const struct dataset *data, size_t fits)
{
    static const temper_loss_spec logistic = {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1},
                                  tempered = {.method = TEMPER_TEMPERED, .t1 = 0, .t2 = 1};
    double each = fmax(pilot_bytes(data, logistic), pilot_bytes(data, tempered));
    if (data->classes.count == 2 || !preconditioner_suits(logistic, data))
        return 0;
    return fmin(MAX_BYTES, floor((double)fits / 2) * each);
}

/* ---- Pilot fits ------------------------------------------------------------------------------ */

/* A training on all rows that ends after the iterations with the preconditioner of W = 0. Unless it has converged by
 * then, the last phase of its plan makes the preconditioner of the weights reached, and no iterations. train_fit moves
 * both preconditioners to *out. */
temper_status shared_preconditioner_fit(const struct pilot_spec *spec, const struct pilot_target *target,
                                        struct shared_preconditioner *out, bool *finished, temper_error *error)
{
    temper_train_options options = temper_train_defaults();
    struct train_fit_result result;
    options.tolerance = spec->options->tolerance;
    /* Options that matter for the path of the optimiser; no validation rows and no checkpoint. */
    options.max_iterations = FIRST_PRECONDITIONER_ITERATIONS;
    options.solver = spec->options->solver;
    options.precision = spec->options->precision;
    options.no_intercept = spec->options->no_intercept;
    options.l2 = target->l2;
    options.threads = spec->threads;
    options.on_progress = spec->on_progress;
    options.progress_context = spec->progress_context;
    struct train_request request = {
        .data = spec->features->data, .features = spec->features, .options = &options, .error = error, .pilot = out};
    temper_status status = train_fit(&request, target->loss, &result);
    *finished = !result.interrupted;
    train_fit_free(&result);
    return status;
}

/* No fit may use borrowed factors any more. */
void shared_preconditioner_free(struct shared_preconditioner *shared)
{
    preconditioner_free(&shared->initial);
    preconditioner_free(&shared->later);
}

/* Makes all pilot fits, one after the other, each with all threads. *finished becomes false where the user interrupted
 * one. */
static temper_status make_pilot_fits(const struct pilot_spec *spec, const struct pilot_target *target, size_t count,
                                     struct shared_preconditioners *all, bool *finished, temper_error *error)
{
    size_t *first = mem_alloc(count, sizeof *first);
    all->pilot = mem_zeroed(count, sizeof *all->pilot);
    all->pilot_of = mem_alloc(count, sizeof *all->pilot_of);
    temper_status status = first && all->pilot && all->pilot_of ? TEMPER_OK : error_no_memory(error);
    /* Without any pilot fit there is nothing to interrupt. */
    *finished = true;
    if (status == TEMPER_OK)
        all->count = assign_pilot_fits(spec->features->data, target, count, all->pilot_of, first);
    for (size_t k = 0; status == TEMPER_OK && *finished && k < all->count; k++)
        status = shared_preconditioner_fit(spec, &target[first[k]], &all->pilot[k], finished, error);
    mem_free(first);
    return status;
}

/* *out is untouched on failure. */
temper_status shared_preconditioners_new(const struct pilot_spec *spec, const struct pilot_target *target, size_t count,
                                         struct shared_preconditioners **out, bool *finished, temper_error *error)
{
    struct shared_preconditioners *all = mem_zeroed(1, sizeof *all);
    if (!all)
        return error_no_memory(error);
    temper_status status = make_pilot_fits(spec, target, count, all, finished, error);
    if (status == TEMPER_OK)
        *out = all;
    else
        shared_preconditioners_free(all);
    return status;
}

void shared_preconditioners_free(struct shared_preconditioners *all)
{
    if (!all)
        return;
    for (size_t k = 0; k < all->count; k++)
        shared_preconditioner_free(&all->pilot[k]);
    mem_free(all->pilot);
    mem_free(all->pilot_of);
    mem_free(all);
}

/* NULL where the target did not want one, is the only one of its kind, or where memory ran out. */
const struct shared_preconditioner *shared_preconditioners_find(const struct shared_preconditioners *all, size_t target)
{
    return all->pilot_of[target] == NONE ? NULL : &all->pilot[all->pilot_of[target]];
}
