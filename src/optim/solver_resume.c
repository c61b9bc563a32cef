/* resume: takes up a run from the memory of an earlier one, if that is what it is. */
#include "optim/solver_resume.h"

#include <math.h>

#include "optim/vector.h"

enum { HEAD = sizeof(struct optim_head) / sizeof(double) };

static const char CONTRADICTION[] = "its numbers contradict each other";

static temper_status refused(struct solver_state *run, const char *why)
{
    return error_set(run->error, TEMPER_BAD_DATA, "the memory of an earlier run does not fit: %s; begin anew", why);
}

/* Counters are whole numbers that a double holds exactly. */
static bool is_count(double x)
{
    return x >= 0 && x < 9007199254740992.0 && x == floor(x);
}

static bool counts_sound(const struct optim_head *head)
{
    const double counts[] = {head->iteration, head->evaluations, head->products,      head->hessians, head->extra,
                             head->pairs,     head->next,        head->history_limit, head->idle};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (!is_count(counts[i]))
            return false;
    /* Each iteration takes an evaluation, and so did the start. */
    return head->evaluations > head->iteration;
}

static bool norms_sound(const struct optim_head *head)
{
    return head->gradient_norm >= 0 && head->start_norm >= 0 && head->best_norm >= 0 && head->mark_norm >= 0 &&
           head->stiffness >= 0 && head->reach > 0 && head->radius >= 0 && head->gamma >= 0 &&
           head->lowest <= head->value && head->lowest <= head->best_value;
}

/* Everything that can be told without asking the problem, but for the method's own numbers. */
static const char *fault(struct solver_state *run, enum optim_kind kind)
{
    const size_t n = run->problem->size, fixed = HEAD + 3 * n;
    const struct optim_options *options = run->options;
    if (options->memory_count < fixed || options->memory_count - fixed > run->extra_room)
        return "its size is another";
    vector_copy(run->memory, options->memory, options->memory_count);
    const struct optim_head *head = run->head;
    if (!vector_finite(run->memory, options->memory_count))
        return "it holds numbers that are not finite";
    if (head->kind != (double)kind)
        return "it is that of another solver";
    if (head->size != (double)n || !counts_sound(head) || head->extra != (double)(options->memory_count - fixed))
        return "its size is another";
    if (!norms_sound(head) || head->gradient_norm != vector_norm(run->gradient, n))
        return CONTRADICTION;
    return NULL;
}

temper_status solver_restore(struct solver_state *run, enum optim_kind kind, bool (*sound)(const void *self),
                             const void *self)
{
    const char *why = fault(run, kind);
    if (!why && !sound(self))
        why = CONTRADICTION;
    vector_copy(run->trial, run->w, run->problem->size);
    return why ? refused(run, why) : TEMPER_OK;
}

/* The problem has to stand at w for its curvature. That evaluation is not counted, because a run
 * that never stopped does not need it; but it shows whether the memory belongs to this problem. */
temper_status solver_resume(struct solver_state *run)
{
    struct optim_head *head = run->head;
    head->evaluations--;
    /* Twice the rounding in floats, for objectives that were compiled otherwise. */
    const double gap = fabs(run->trial_value - head->value);
    if (!solver_trial_finite(run) || gap > 2 * solver_noise(run))
        return refused(run, "the function has another value there");
    if (run->problem->accept)
        run->problem->accept(run->problem->context);
    run->best_here = solver_best_is_here(run);
    run->stands = true;
    run->going = true; /* it has been shown this point before */
    return TEMPER_OK;
}
