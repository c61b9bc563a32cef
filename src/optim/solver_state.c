/* run: what all minimisers share: counting, the best point, following, memory, and when to end. */
#include "optim/solver_state.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "optim/solver_resume.h"
#include "optim/vector.h"

/* Relative to the value. Floats have 1e-7, and it takes two of them to make a difference. */
static const double NOISE = 5e-7;
/* How far a step may move the activations, root mean square: the first, unless the options say,
 * and any other, to begin with. Losses are flat from about 10 on. */
static const double FIRST_LENGTH = 1, LENGTH = 8;

/* Where rounding decides, steps can go on for ever. So many without progress are the end: a value
 * smaller by this much of it, or a gradient smaller by this factor. */
static const double IDLE_LIMIT = 100, VALUE_PROGRESS = 1e-9, NORM_PROGRESS = 0.9;

enum { HEAD = sizeof(struct optim_head) / sizeof(double) };

/* head, w, gradient, best, extra */
static bool memory_size(size_t size, size_t extra, size_t *count)
{
    size_t vectors = 0;
    return mul_size(3, size, &vectors) && add_size(vectors, HEAD, &vectors) && add_size(vectors, extra, count);
}

static bool scratch_size(size_t size, size_t own, size_t *count)
{
    size_t vectors = 0;
    return mul_size(2, size, &vectors) && add_size(vectors, own, count);
}

static void lay_out(struct solver_state *run)
{
    const size_t n = run->problem->size;
    run->head = (struct optim_head *)run->memory;
    run->w = run->memory + HEAD;
    run->gradient = run->w + n;
    run->best = run->gradient + n;
    run->extra = run->best + n;
    run->trial = run->rest;
    run->trial_gradient = run->trial + n;
    run->scratch = run->trial_gradient + n;
    *run->head = (struct optim_head){.size = (double)n, .reach = LENGTH};
}

temper_status solver_open(struct solver_state *run, const struct problem *problem, const struct optim_options *options,
                          struct optim_room room, temper_error *error)
{
    *run = (struct solver_state){.problem = problem, .options = options, .error = error};
    size_t memory_count = 0, scratch_count = 0;
    if (!memory_size(problem->size, room.extra, &memory_count) ||
        !scratch_size(problem->size, room.scratch, &scratch_count))
        return error_no_memory(error);
    run->memory = mem_aligned(memory_count, sizeof(double));
    run->rest = mem_aligned(scratch_count, sizeof(double));
    if (!run->memory || !run->rest) {
        solver_close(run);
        return error_no_memory(error);
    }
    run->extra_room = room.extra;
    lay_out(run);
    return TEMPER_OK;
}

void solver_close(struct solver_state *run)
{
    mem_free(run->memory);
    mem_free(run->rest);
    *run = (struct solver_state){0};
}

void solver_tried(struct solver_state *run)
{
    const double norm = vector_norm(run->trial_gradient, run->problem->size);
    run->head->evaluations++;
    run->stands = false;
    run->trial_norm = isfinite(run->trial_value) && isfinite(norm) ? norm : INFINITY;
}

temper_status solver_try(struct solver_state *run)
{
    run->trial_value = NAN;
    temper_status status =
        run->problem->evaluate(run->problem->context, run->trial, &run->trial_value, run->trial_gradient, run->error);
    if (status == TEMPER_OK)
        solver_tried(run);
    return status;
}

bool solver_trial_finite(const struct solver_state *run)
{
    return isfinite(run->trial_norm);
}

double solver_noise(const struct solver_state *run)
{
    return NOISE * fabs(run->head->value);
}

/* Whether the value and gradient of the head are the best: those of the smallest value; but where
 * values differ by rounding alone, of the smallest gradient. `lowest` never rises, so that this
 * cannot drift upwards. */
static bool note_best(const struct solver_state *run)
{
    struct optim_head *head = run->head;
    if (head->value < head->lowest)
        head->lowest = head->value;
    const double bar = head->lowest + solver_noise(run);
    if (head->value > bar || (head->best_value <= bar && head->best_norm <= head->gradient_norm))
        return false;
    head->best_value = head->value;
    head->best_norm = head->gradient_norm;
    return true;
}

/* Most points are better than those before: the best is copied where w leaves it behind, or where
 * the memory has to be whole. */
static void keep_best(const struct solver_state *run)
{
    if (run->best_here)
        vector_copy(run->best, run->w, run->problem->size);
}

bool solver_best_is_here(const struct solver_state *run)
{
    return run->best_here || memcmp(run->best, run->w, run->problem->size * sizeof *run->w) == 0;
}

const double *solver_best(const struct solver_state *run)
{
    return run->best_here ? run->w : run->best;
}

static void note_progress(const struct solver_state *run)
{
    struct optim_head *head = run->head;
    const double least = fmax(VALUE_PROGRESS * fabs(head->value), run->options->least_fall);
    head->idle++;
    if (head->value >= head->mark_value - least && head->gradient_norm > NORM_PROGRESS * head->mark_norm)
        return;
    head->mark_value = fmin(head->mark_value, head->value);
    head->mark_norm = fmin(head->mark_norm, head->gradient_norm);
    head->idle = 0;
}

static void swap(double **a, double **b)
{
    double *was = *a;
    *a = *b;
    *b = was;
}

/* w and its gradient are those of the trial; where there need be no memory, they change places. */
static void take_trial(struct solver_state *run)
{
    const size_t n = run->problem->size;
    if (run->options->forgets) {
        swap(&run->w, &run->trial);
        swap(&run->gradient, &run->trial_gradient);
    } else {
        vector_copy(run->w, run->trial, n);
        vector_copy(run->gradient, run->trial_gradient, n);
    }
}

void solver_accept(struct solver_state *run)
{
    run->head->value = run->trial_value;
    run->head->gradient_norm = run->trial_norm;
    const bool best = note_best(run);
    if (!best)
        keep_best(run);
    take_trial(run);
    run->best_here = best;
    run->stands = true;
    if (run->problem->accept)
        run->problem->accept(run->problem->context);
    note_progress(run);
}

double solver_length_limit(const struct solver_state *run, bool blind)
{
    if (run->head->iteration > 0 && !blind)
        return run->head->reach;
    return run->options->first_length > 0 ? run->options->first_length : FIRST_LENGTH;
}

void solver_widen(struct solver_state *run)
{
    if (run->head->iteration > 0) /* the first step has a limit of its own */
        run->head->reach *= 2;
}

bool solver_reach_known(const struct solver_state *run, const double *v, double limit, double *factor)
{
    const double length = run->head->stiffness * vector_norm(v, run->problem->size);
    if (!(run->head->stiffness > 0) || !(length <= limit / 4))
        return false;
    *factor = limit / length;
    return true;
}

double solver_reach_measured(struct solver_state *run, const double *v, double limit, double length)
{
    if (!(length > 0) || isinf(length))
        return INFINITY;
    /* Forgets slowly: a stiff direction that the run has left behind must not cost a measurement of
     * every later step. */
    double *stiffness = &run->head->stiffness;
    *stiffness = fmax(*stiffness / 2, length / vector_norm(v, run->problem->size));
    return limit / length;
}

temper_status solver_reach(struct solver_state *run, const double *v, double limit, double *factor)
{
    double length = 0;
    *factor = INFINITY;
    if (!run->options->length || solver_reach_known(run, v, limit, factor))
        return TEMPER_OK;
    temper_status status = run->options->length(run->problem->context, v, &length, run->error);
    if (status == TEMPER_OK)
        *factor = solver_reach_measured(run, v, limit, length);
    return status;
}

/* False if the caller wants no more. */
static bool follow(const struct solver_state *run)
{
    const struct optim_head *head = run->head;
    const bool forgets = run->options->forgets;
    if (!run->options->on_progress)
        return true;
    if (!forgets)
        keep_best(run);
    const struct optim_progress progress = {
        .iteration = (size_t)head->iteration,
        .evaluations = (size_t)head->evaluations,
        .products = (size_t)head->products,
        .hessians = (size_t)head->hessians,
        .value = head->value,
        .gradient_norm = head->gradient_norm,
        .w = run->w,
        .memory = forgets ? NULL : run->memory,
        .memory_count = forgets ? 0 : HEAD + 3 * run->problem->size + (size_t)head->extra,
    };
    return run->options->on_progress(run->options->progress_context, &progress);
}

void solver_begin(struct solver_state *run)
{
    run->head->lowest = run->head->best_value = INFINITY;
    run->head->mark_value = run->head->mark_norm = INFINITY;
    run->head->start_norm = run->trial_norm;
    solver_accept(run);
    run->going = follow(run);
}

void solver_moved(struct solver_state *run)
{
    run->head->iteration++;
    run->going = follow(run);
}

bool solver_ends(const struct solver_state *run, enum optim_stop *stop)
{
    const struct optim_head *head = run->head;
    const bool converged = head->gradient_norm <= run->options->gradient_norm;
    const bool stalled = head->idle > IDLE_LIMIT;
    *stop = converged ? OPTIM_CONVERGED : stalled ? OPTIM_STALLED : run->going ? OPTIM_MAX_ITER : OPTIM_STOPPED;
    return converged || stalled || !run->going || head->iteration >= (double)run->options->max_iterations;
}

/* What a run that converged returns is where it did: no more than rounding above the best, and the
 * only point that keeps the promise about the gradient. */
static void prefer_last(struct solver_state *run)
{
    run->head->best_value = run->head->value;
    run->head->best_norm = run->head->gradient_norm;
    run->best_here = true;
}

void solver_end(struct solver_state *run, enum optim_stop stop)
{
    run->stop = stop;
    if (stop == OPTIM_CONVERGED)
        prefer_last(run);
    run->stands = run->stands && solver_best_is_here(run);
    if (run->options->gradient && run->stands)
        vector_copy(run->options->gradient, run->gradient, run->problem->size);
}

struct optim_result solver_result(const struct solver_state *run)
{
    const struct optim_head *head = run->head;
    const bool finite = run->stop != OPTIM_NOT_FINITE;
    return (struct optim_result){
        .stop = run->stop,
        .iterations = (size_t)head->iteration,
        .evaluations = (size_t)head->evaluations,
        .products = (size_t)head->products,
        .hessians = (size_t)head->hessians,
        .value = finite ? head->best_value : run->trial_value,
        .gradient_norm = finite ? head->best_norm : run->trial_norm,
        .stands = run->stands,
    };
}

/* ---- The whole run --------------------------------------------------------------------------- */

/* Value and gradient at the start, from the options if they are known. */
static temper_status try_start(struct solver_state *run)
{
    if (!run->options->start_gradient)
        return solver_try(run);
    run->trial_value = run->options->start_value;
    vector_copy(run->trial_gradient, run->options->start_gradient, run->problem->size);
    solver_tried(run);
    return TEMPER_OK;
}

/* Stands at w, or where the memory says. *finite is false if there is no value to start from. */
static temper_status start(struct solver_state *run, const struct optim_method *method, const void *self,
                           const double *w, bool *finite)
{
    const bool again = run->options->memory != NULL;
    run->head->kind = method->kind;
    vector_copy(run->trial, w, run->problem->size);
    temper_status status = again ? solver_restore(run, method->kind, method->sound, self) : TEMPER_OK;
    if (status == TEMPER_OK)
        status = again ? solver_try(run) : try_start(run);
    if (status != TEMPER_OK)
        return status;
    if (again)
        return solver_resume(run);
    *finite = solver_trial_finite(run);
    if (*finite)
        solver_begin(run);
    return TEMPER_OK;
}

static temper_status iterations(struct solver_state *run, const struct optim_method *method, void *self)
{
    enum optim_stop stop;
    while (!solver_ends(run, &stop)) {
        bool moved = false;
        temper_status status = method->iterate(self, &moved);
        if (status != TEMPER_OK)
            return status;
        if (!moved) {
            stop = OPTIM_STALLED;
            break;
        }
        solver_moved(run);
    }
    solver_end(run, stop);
    return TEMPER_OK;
}

temper_status solver_drive(struct solver_state *run, const struct optim_method *method, void *self, double *w,
                           struct optim_result *result)
{
    bool finite = true;
    temper_status status = start(run, method, self, w, &finite);
    if (status != TEMPER_OK)
        return status;
    if (finite) {
        status = iterations(run, method, self);
        vector_copy(w, solver_best(run), run->problem->size);
    } else {
        solver_end(run, OPTIM_NOT_FINITE);
    }
    if (status == TEMPER_OK)
        *result = solver_result(run);
    return status;
}
