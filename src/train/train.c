/* train: the steps of a training in their order, and what is refused before the first of them.
 *
 * Check the data and the options; decide on the plan (train_plan.c); solve (solve.c, and rounds.c for losses that
 * repeat themselves); make model and report (train_finish.c). Validation rows and checkpoints are entered where they
 * are asked for. All state is in one struct that is zero at first, so that one function frees it after any step. A fit
 * of a search takes the same path without the checks, and returns weights instead of a model. */
#include "train/train.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "tempered/loss_family.h"
#include "train/train_state.h"

/* Not the time of day, which may jump. */
double train_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- Checks ---------------------------------------------------------------------------------- */

/* The classes among the rows of positive weight, counted up to two, and the first of them. */
struct seen_classes {
    uint32_t count, first;
};

/* For comm_in_turn: each process continues the count of the one before it. Stops at the second class, so that most data
 * is hardly read. */
static void see_classes(void *context, void *state)
{
    const struct dataset *data = context;
    struct seen_classes *seen = state;
    for (uint64_t row = 0; row < data->x.rows && seen->count < 2; row++) {
        if (data->weight && data->weight[row] == 0)
            continue;
        if (seen->count == 0 || data->label[row] != seen->first)
            seen->count++;
        if (seen->count == 1)
            seen->first = data->label[row];
    }
}

/* Refuses data without labels, without features, or with one class among the rows of positive weight: no classifier can
 * be learnt from it. */
static temper_status check_data(const struct dataset *data, temper_error *error)
{
    /* Data from memory has no file to be named. */
    const char *source = data->file.path ? data->file.path : "data";
    struct seen_classes seen = {0, 0};
    if (!data->label)
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: there are no labels to learn from; pass --label COLUMN or "
                         "--labels FILE",
                         source);
    /* A single process may hold rows of one class only. */
    TRY(comm_in_turn(data->ranks.comm, see_classes, (void *)data, &seen, sizeof seen, error));
    if (seen.count < 2)
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: all rows that count have one class, '%.40s'; a classifier needs two: "
                         "give rows of another, or name another column by --label",
                         source, data->classes.count ? data->classes.name[seen.first] : "");
    if (data->x.columns == 0)
        return error_set(error, TEMPER_BAD_DATA, "%s: there are no features, only labels; nothing can be learnt",
                         source);
    return TEMPER_OK;
}

/* Squares of gradients, and their sums over rows, stay finite. */
static const double SCE_LARGEST = 1e100;
/* Beyond these no training is meaningful: the slope of the loss at W = 0 falls as 2^-t2, the loss grows as 2^t1, and a
 * penalty this large leaves weights that rounding cannot tell from 0. */
static const double LARGEST_TEMPERATURE = 10, LARGEST_L2 = 1e15;

/* Names the range of a parameter; an end that is not finite in practice is no bound. */
static temper_status refuse_parameter(temper_loss_spec loss, const temper_loss_parameter *wrong, temper_error *error)
{
    char range[64];
    if (wrong->least > -DBL_MAX && wrong->most < DBL_MAX)
        snprintf(range, sizeof range, "from %g to %g", wrong->least, wrong->most);
    else if (wrong->least > -DBL_MAX)
        snprintf(range, sizeof range, ">= %g", wrong->least);
    else
        snprintf(range, sizeof range, "<= %g", wrong->most);
    return error_set(error, TEMPER_USAGE, "the %s of loss %s must be a number %s; try %g", wrong->name,
                     method_name(loss.method), range, wrong->standard);
}

/* The loss must be finite and have a bounded slope; loss_shape knows for which temperatures that holds. */
temper_status train_check_loss(temper_loss_spec loss, temper_error *error)
{
    const temper_loss_parameter *wrong;
    bool temperatures = loss_has_temperatures(loss);
    if ((size_t)loss.method >= TEMPER_METHODS)
        return error_set(error, TEMPER_USAGE, "the loss is of no known method; use a temper_method");
    if (temperatures && !(isfinite(loss.t1) && loss.t1 >= 0 && isfinite(loss.t2) && loss.t2 >= 0))
        return error_set(error, TEMPER_USAGE, "temperatures must be numbers >= 0; try --t1 0.3 --t2 1");
    if (temperatures && !(loss.t1 <= LARGEST_TEMPERATURE && loss.t2 <= LARGEST_TEMPERATURE))
        return error_set(error, TEMPER_USAGE,
                         "temperatures above %g cannot be trained: the slope of the loss vanishes, or its value "
                         "overflows; try --t1 0.3 --t2 1",
                         LARGEST_TEMPERATURE);
    if (!loss_parameters_legal(loss, &wrong))
        return refuse_parameter(loss, wrong, error);
    if (loss.method == TEMPER_SCE && !(loss.alpha <= SCE_LARGEST && -loss.beta * loss.log_zero <= SCE_LARGEST))
        return error_set(error, TEMPER_USAGE,
                         "alpha and beta * -log_zero of loss sce must not be above %g, or sums over rows overflow; try "
                         "sce:0.1:1:-4",
                         SCE_LARGEST);
    /* A loss that is 0 everywhere. */
    if (loss.method == TEMPER_SCE && loss.alpha == 0 && loss.beta * loss.log_zero == 0)
        return error_set(error, TEMPER_USAGE, "one of alpha and beta of loss sce must be positive; try sce:0.1:1:-4");
    /* Outside of these temperatures a single row can have an infinite loss or gradient. */
    if (loss_is_two_temperature(loss) && !loss_shape(loss.t1, loss.t2).smooth)
        return error_set(error, TEMPER_USAGE,
                         "the loss or its slope is unbounded at these temperatures (t2 < 1 <= t1, "
                         "or t2 < t1 < 1), so they cannot be trained; raise t2 to at least t1, "
                         "and to at least 1 if t1 is");
    return TEMPER_OK;
}

/* NaN means the default, which the variances of the features decide. */
temper_status train_check_l2(double l2, temper_error *error)
{
    if (isnan(l2) || (l2 >= 0 && l2 <= LARGEST_L2))
        return TEMPER_OK;
    return error_set(error, TEMPER_USAGE, "l2 must be a number from 0 to %g; try --l2 auto", LARGEST_L2);
}

/* The penalty of the absolute weights. A hinge is not smooth itself: the solvers for such penalties do not apply. */
temper_status train_check_l1(const temper_train_options *options, temper_error *error)
{
    if (!(isfinite(options->l1) && options->l1 >= 0))
        return error_set(error, TEMPER_USAGE, "l1 must be a number >= 0; try --l1 0.001");
    if (options->l1 > 0 && options->loss.method == TEMPER_HINGE)
        return error_set(error, TEMPER_USAGE,
                         "loss hinge is not trained with an L1 penalty: it has kinks of its own; pass --loss logistic, "
                         "or --l1 0");
    return TEMPER_OK;
}

/* Refuses numbers out of range, and options that exclude each other. */
static temper_status check_options(const temper_train_options *options, temper_error *error)
{
    TRY(train_check_loss(loss_resolve(options->loss), error));
    TRY(train_check_l2(options->l2, error));
    TRY(train_check_l1(options, error));
    if (!(options->tolerance > 0) || !isfinite(options->tolerance))
        return error_set(error, TEMPER_USAGE, "tol must be a number > 0; try --tol 1e-4");
    /* More than MAX_STARTS are not defined: each start has a method of its own (train_plan.c). */
    if (options->starts < 1 || options->starts > MAX_STARTS)
        return error_set(error, TEMPER_USAGE, "starts must be 1, 2 or 3");
    if (options->warm_start && options->init && strcmp(options->init, "zero") != 0)
        return error_set(error, TEMPER_USAGE, "a warm start leaves no room for another init; give one of them");
    if (options->resume && !options->checkpoint)
        return error_set(error, TEMPER_USAGE, "there is no checkpoint to resume from; pass --checkpoint FILE too");
    return TEMPER_OK;
}

/* For searches, which check once and then make many fits without checks. */
temper_status train_check(const struct dataset *data, const temper_train_options *options, temper_error *error)
{
    TRY(check_data(data, error));
    return check_options(options, error);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* Accepts a state at any step, because all of it is zero at first. A preconditioner that was moved out has n = 0. */
static void free_state(struct train_state *train)
{
    if (train->validation)
        validation_free(train->validation);
    objective_free(train->progress.objective);
    if (train->progress.preconditioner.n > 0)
        preconditioner_free(&train->progress.preconditioner);
    /* The features of a search are borrowed; own_features is empty then. */
    mem_free(train->progress.w);
    mem_free(train->progress.gradient);
    mem_free(train->progress.solution);
    mem_free(train->progress.solver_memory);
    mem_free(train->plan.initial);
    dataset_free(train->plan.reweighted);
    mem_free(train->plan.transition);
    noise_pilot_free(train->progress.pilot);
    row_space_free(train->plan.row_space);
    scaled_features_free(&train->plan.own_features);
    dataset_free(train->plan.gathered);
}

/* The vectors of a training; `solution` has space for the end of every start. */
static temper_status allocate_progress(const struct train_plan *plan, struct train_progress *progress,
                                       temper_error *error)
{
    progress->preconditioner_kind = plan->preconditioner;
    progress->w = mem_zeroed(plan->size, sizeof *progress->w);
    progress->gradient = mem_zeroed(plan->size, sizeof *progress->gradient);
    progress->solution = mem_alloc(MAX_STARTS, plan->size * sizeof *progress->solution);
    return progress->w && progress->gradient && progress->solution ? TEMPER_OK : error_no_memory(error);
}

/* The solutions of a training in the row space become weights of all features, and the objective that of all features:
 * what is reported of the solution is evaluated there. */
static temper_status leave_row_space(struct train_state *train)
{
    struct train_plan *plan = &train->plan;
    struct train_progress *progress = &train->progress;
    temper_error *error = train->request->error;
    const bool intercept = !train->request->options->no_intercept;
    const size_t inner = plan->size, size = ((size_t)plan->features->data->x.columns + intercept) * plan->vectors;
    double *solution = mem_alloc(MAX_STARTS, size * sizeof *solution);
    temper_status status = solution ? TEMPER_OK : error_no_memory(error);
    for (size_t k = 0; status == TEMPER_OK && k < progress->solutions; k++)
        status = row_space_weights(plan->row_space,
                                   (struct solution){progress->solution + k * inner, plan->vectors, intercept},
                                   solution + k * size, error);
    if (status != TEMPER_OK) {
        mem_free(solution);
        return status;
    }
    mem_free(progress->solution);
    mem_free(progress->w);
    mem_free(progress->gradient);
    progress->solution = solution;
    progress->known.valid = false;
    progress->w = mem_zeroed(size, sizeof *progress->w);
    progress->gradient = mem_zeroed(size, sizeof *progress->gradient);
    if (!progress->w || !progress->gradient)
        return error_no_memory(error);
    return train_plan_leave_row_space(train->request, plan, &progress->objective);
}

/* Decides, starts and solves; validation rows and checkpoints only where they are asked for. The order is that of
 * dependence: a checkpoint is recognised by the plan and the initial weights. */
static temper_status plan_and_solve(const struct train_request *request, struct train_state *train)
{
    struct train_plan *plan = &train->plan;
    plan->loss = loss_of_rows(plan->asked);
    if (loss_has_rounds(plan->asked))
        TRY(rounds_check(request, plan->asked));
    TRY(train_plan_decide(request, plan, &train->progress.objective));
    /* Validation rows need the classes and the scaling of the plan. */
    if (request->options->validation)
        TRY(validation_new(request, plan, &train->validation));
    TRY(allocate_progress(plan, &train->progress, request->error));
    TRY(train_plan_start(request, plan));
    if (request->options->checkpoint)
        TRY(checkpoint_begin(train));
    TRY(train_solve(train));
    return plan->row_space ? leave_row_space(train) : TEMPER_OK;
}

/* A whole training. Refusals come before anything is allocated, and the outputs are written last. */
temper_status train_model(const struct train_request *request, struct model **model, temper_train_report *report)
{
    struct train_state train = {.request = request, .progress.started = train_clock()};
    if (!request->remote) /* remote rows were checked when they were counted */
        TRY(check_data(request->data, request->error));
    TRY(check_options(request->options, request->error));
    /* The temperatures that the name of a loss implies are filled in once, here. */
    train.plan.asked = loss_resolve(request->options->loss);
    temper_status status = plan_and_solve(request, &train);
    if (status == TEMPER_OK)
        status = train_finish(&train, model, report);
    free_state(&train);
    return status;
}

/* Rows in memory or in a file, and no search around it. */
temper_status train(const struct dataset *data, const temper_train_options *options, struct model **model,
                    temper_train_report *report, temper_error *error)
{
    struct train_request request = {.data = data, .options = options, .error = error};
    return train_model(&request, model, report);
}

/* One fit of a search. The solution and, for a pilot fit, the preconditioner are moved out of the state before it is
 * freed. */
temper_status train_fit(const struct train_request *request, temper_loss_spec loss, struct train_fit_result *result)
{
    struct train_state train = {.request = request, .plan.asked = loss, .is_candidate = !request->converges};
    struct train_progress *progress = &train.progress;
    temper_status status = plan_and_solve(request, &train);
    /* Filled in on failure too: searches report how many iterations were spent. */
    *result = (struct train_fit_result){.size = train.plan.size,
                                        .stop = progress->end[0].stop,
                                        .iterations = progress->counts.iterations,
                                        .evaluations = progress->counts.evaluations,
                                        .interrupted = progress->interrupted};
    if (status == TEMPER_OK) {
        result->solution = progress->solution;
        progress->solution = NULL;
        if (request->pilot && progress->preconditioner_kind != PRECONDITIONER_NONE) {
            request->pilot->later = progress->preconditioner;
            progress->preconditioner = (struct preconditioner){0};
        }
    }
    free_state(&train);
    return status;
}

/* Accepts a result without a solution. */
void train_fit_free(struct train_fit_result *result)
{
    mem_free(result->solution);
    *result = (struct train_fit_result){0};
}
