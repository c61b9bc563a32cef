/* rounds: losses whose training repeats the minimisation with other weights of the rows.
 *
 * Trimmed logistic regression minimises the mean logistic loss of the rows that fit best, all but a share `trim` of the
 * weight, over the weights W and over the choice of the rows (least trimmed losses; Rousseeuw 1984 for squares,
 * Hadi and Luceno 1997 for likelihoods). Each round is a concentration step (Rousseeuw and Van Driessen 2006): fit to
 * the rows that are kept, then keep the rows with the smallest losses. Neither half increases the objective, so that
 * the rounds end, in a local minimum that depends on the first round: a fit to all rows.
 *
 * Forward correction has three rounds: logistic regressions on either half of the rows, from whose predictions of the
 * other half the matrix of label noise is estimated (noise_pilot.h), and the fit of the corrected loss to all rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/subset.h"
#include "tempered/loss_family.h"
#include "tempered/row_scores.h"
#include "train/train_state.h"

/* Concentration steps usually end after three to ten; the tolerance of the fits may let two sets of rows alternate. */
enum { MOST_ROUNDS = 30 };
/* The matrix of label noise has this many rows and columns at most. */
enum { FORWARD_CLASSES = 1024 };
/* Of forward correction: two pilot fits, then the fit of the corrected loss. */
enum { FORWARD_ROUNDS = 3 };

/* ---- Preparation ----------------------------------------------------------------------------- */

/* Rows are sorted by their losses, for which one process has to hold all of them; checkpoints, validation and several
 * starts refer to a single minimisation. */
temper_status rounds_check(const struct train_request *request, temper_loss_spec asked)
{
    const temper_train_options *options = request->options;
    const char *refused = request->remote                          ? "remote rows"
                          : !comm_alone(request->data->ranks.comm) ? "several processes"
                          : options->checkpoint                    ? "a checkpoint"
                          : options->validation                    ? "validation rows"
                          : options->starts > 1                    ? "several starts"
                                                                   : NULL;
    if (!refused && loss_has_transition(asked) && request->data->classes.count > FORWARD_CLASSES)
        return error_set(request->error, TEMPER_BAD_DATA,
                         "loss %s estimates a matrix of all pairs of classes, and %zu classes are more than %d; pass "
                         "another --loss",
                         method_name(asked.method), request->data->classes.count, FORWARD_CLASSES);
    if (!refused)
        return TEMPER_OK;
    return error_set(request->error, TEMPER_USAGE,
                     "loss %s repeats its training with other row weights, which does not go together with %s; drop "
                     "that, or pass another --loss",
                     method_name(asked.method), refused);
}

/* Features are borrowed; the weights are a copy, all 1 where there are none. */
temper_status rounds_copy_data(const struct train_request *request, struct train_plan *plan)
{
    size_t rows = (size_t)plan->data->x.rows;
    double *weight = mem_alloc(rows, sizeof *weight);
    if (!weight)
        return error_no_memory(request->error);
    for (size_t row = 0; row < rows; row++)
        weight[row] = plan->given_weight ? plan->given_weight[row] : 1;
    temper_status status = dataset_borrow(plan->data, &plan->reweighted, request->error);
    if (status != TEMPER_OK) {
        mem_free(weight);
        return status;
    }
    mem_free(plan->reweighted->weight); /* dataset_borrow has copied the given ones */
    plan->reweighted->weight = weight;
    plan->data = plan->reweighted;
    return TEMPER_OK;
}

/* ---- The rows under the current solution ------------------------------------------------------ */

/* The weight before any round has changed it. */
static double given_weight(const struct train_plan *plan, size_t row)
{
    return plan->given_weight ? plan->given_weight[row] : 1;
}

/* score[row * vectors + k] of all rows under the solution of the round. Freed by the caller. */
static temper_status row_scores(const struct train_state *train, double **out)
{
    const struct train_plan *plan = &train->plan;
    double *score = mem_alloc((size_t)plan->data->x.rows, plan->vectors * sizeof *score);
    if (!score)
        return error_no_memory(train->request->error);
    struct solution solution = {train->progress.solution, plan->vectors, !train->request->options->no_intercept};
    temper_status status =
        scaled_features_activations(plan->features, solution, plan->threads, score, train->request->error);
    if (status == TEMPER_OK)
        *out = score;
    else
        mem_free(score);
    return status;
}

/* The share of all rows whose label is predicted, with the weights that were given: the objective counts with the
 * weights of the last round, where trimmed rows have none. */
temper_status rounds_accuracy(const struct train_state *train, double *accuracy)
{
    const struct train_plan *plan = &train->plan;
    double *score, right = 0, all = 0;
    TRY(row_scores(train, &score));
    for (size_t row = 0; row < (size_t)plan->data->x.rows; row++) {
        double weight = given_weight(plan, row);
        right += class_of_scores(score + row * plan->vectors, plan->vectors) == plan->data->label[row] ? weight : 0;
        all += weight;
    }
    mem_free(score);
    *accuracy = right / all;
    return TEMPER_OK;
}

/* ---- Trimming -------------------------------------------------------------------------------- */

struct row_loss {
    double loss;
    size_t row;
};

/* For qsort: by the loss, then by the row, so that the order is the same on every machine. */
static int by_loss(const void *a, const void *b)
{
    const struct row_loss *x = a, *y = b;
    if (x->loss != y->loss)
        return x->loss < y->loss ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* The losses of all rows, sorted. Freed by the caller. By the loss that the rounds minimise, without weights: a row is
 * left out for its own misfit, whatever its weight. */
static temper_status sorted_losses(const struct train_state *train, struct row_loss **out)
{
    const struct train_plan *plan = &train->plan;
    size_t rows = (size_t)plan->data->x.rows;
    double *score;
    TRY(row_scores(train, &score));
    struct row_loss *list = mem_alloc(rows, sizeof *list);
    for (size_t row = 0; list && row < rows; row++) {
        list[row].row = row;
        list[row].loss =
            loss_of_scores(plan->loss, NULL, score + row * plan->vectors, plan->vectors, plan->data->label[row], NULL);
    }
    mem_free(score);
    if (!list)
        return error_no_memory(train->request->error);
    qsort(list, rows, sizeof *list, by_loss);
    *out = list;
    return TEMPER_OK;
}

/* Gives the rows with the smallest losses their weights until a share 1 - trim of all weight is reached; the row at the
 * boundary gets a part of its own, and the others 0. So the weight that is kept is the same in every round, which makes
 * the objective fall. Returns whether the rows differ from those of the round before; `change`: the weights become
 * those, else they stay as they are. */
static bool keep_best(const struct train_plan *plan, const struct row_loss *list, bool change)
{
    bool differs = false;
    size_t rows = (size_t)plan->data->x.rows;
    double all = 0;
    for (size_t row = 0; row < rows; row++)
        all += given_weight(plan, row);
    double left = (1 - plan->asked.trim) * all, rounding = 1e-12 * all;
    for (size_t i = 0; i < rows; i++) {
        double given = given_weight(plan, list[i].row), *weight = &plan->reweighted->weight[list[i].row];
        /* Rounding of the sums must not split a row that fits. */
        double kept = given <= left + rounding ? given : left;
        left = left > kept ? left - kept : 0;
        differs = differs || kept != *weight;
        *weight = change ? kept : *weight;
    }
    return differs;
}

/* Refuses to continue with rows of one class, from which nothing can be learnt. */
static temper_status check_kept(const struct train_state *train)
{
    const struct dataset *data = train->plan.data;
    uint32_t first = UINT32_MAX;
    for (size_t row = 0; row < (size_t)data->x.rows; row++) {
        if (data->weight[row] == 0 || data->label[row] == first)
            continue;
        if (first != UINT32_MAX)
            return TEMPER_OK;
        first = data->label[row];
    }
    return error_set(train->request->error, TEMPER_BAD_DATA,
                     "trimming leaves rows of one class, '%.40s'; give a smaller share, as in --loss trimmed:%.2g",
                     first == UINT32_MAX ? "" : data->classes.name[first], train->plan.asked.trim / 2);
}

/* A concentration step. The weights stay as they are where no further round follows: the solution is theirs. */
static temper_status trim_rows(struct train_state *train, bool *again)
{
    struct row_loss *list;
    bool last = train->progress.round == MOST_ROUNDS;
    TRY(sorted_losses(train, &list));
    bool differs = keep_best(&train->plan, list, !last);
    mem_free(list);
    train->progress.rounds_unfinished = last && differs;
    *again = differs && !last;
    return *again ? check_kept(train) : TEMPER_OK;
}

/* ---- Forward correction ---------------------------------------------------------------------- */

/* Weights and loss of a round: 0 and 1 leave out that half of the rows and fit the logistic loss, 2 is the fit of the
 * corrected loss to all rows. Rows of weight 0 stay in the data, so that the matrix, its blocks and the order of
 * summation are the same in all rounds. */
static void set_half(struct train_state *train, size_t round)
{
    struct train_plan *plan = &train->plan;
    const uint32_t *half = train->progress.pilot->half;
    const temper_loss_spec logistic = {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1};
    for (size_t row = 0; row < (size_t)plan->data->x.rows; row++)
        plan->reweighted->weight[row] = half[row] == round ? 0 : given_weight(plan, row);
    for (size_t i = 0; i < plan->phases; i++)
        plan->phase[i].loss = round < 2 ? logistic : plan->loss;
}

/* The estimate from the predictions of both halves, for the objective of the last round. */
static temper_status estimate_noise(struct train_state *train)
{
    struct train_plan *plan = &train->plan;
    size_t classes = plan->data->classes.count;
    const struct labelled_rows rows = {plan->data->label, plan->reweighted->weight, classes};
    plan->transition = mem_alloc(classes, classes * sizeof *plan->transition);
    if (!plan->transition)
        return error_no_memory(train->request->error);
    TRY(noise_pilot_estimate(train->progress.pilot, &rows, plan->transition, train->request->error));
    objective_set_transition(train->progress.objective, plan->transition);
    return TEMPER_OK;
}

/* Rows that the round left out are predicted by its solution. */
static temper_status next_half(struct train_state *train, bool *again)
{
    struct train_progress *progress = &train->progress;
    double *score;
    *again = progress->round < FORWARD_ROUNDS;
    if (!*again)
        return TEMPER_OK;
    progress->rounds_unfinished = progress->rounds_unfinished || progress->end[0].stop == OPTIM_MAX_ITER;
    TRY(row_scores(train, &score));
    noise_pilot_predict(progress->pilot, (uint32_t)progress->round - 1, score, train->plan.vectors);
    mem_free(score);
    set_half(train, progress->round);
    return progress->round == 2 ? estimate_noise(train) : TEMPER_OK;
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

/* Trimming begins with all rows, forward correction with one half. */
temper_status rounds_begin(struct train_state *train)
{
    if (!loss_has_transition(train->plan.asked))
        return TEMPER_OK;
    TRY(noise_pilot_new(train->plan.data, train->request->options->seed, &train->progress.pilot,
                        train->request->error));
    set_half(train, 0);
    return objective_reweigh(train->progress.objective, train->request->error);
}

/* Prepares the phases for another round. Nothing that was evaluated with the old weights is known any more. Trimming
 * continues with the solution of the last round; forward correction begins at the initial weights each time. */
static temper_status begin_round(struct train_state *train)
{
    struct train_progress *progress = &train->progress;
    if (!loss_has_transition(train->plan.asked))
        memcpy(train->plan.initial, progress->solution, train->plan.size * sizeof *progress->solution);
    progress->known.valid = false;
    progress->scale.known = false;
    progress->phase = 0;
    progress->solutions = 0;
    progress->round_begin = progress->counts.iterations;
    return objective_reweigh(progress->objective, train->request->error);
}

/* Counts the round that has ended, and decides whether another one follows. */
temper_status rounds_next(struct train_state *train, bool *again)
{
    train->progress.round++;
    TRY(loss_has_transition(train->plan.asked) ? next_half(train, again) : trim_rows(train, again));
    return *again ? begin_round(train) : TEMPER_OK;
}

/* A fit that has converged is still not the end, unless it is the last of forward correction. The solution of a pilot
 * fit is none of the corrected loss, and the last fit begins at the initial weights. So all that there is before its
 * first iteration are those, and the report has no iterations. */
temper_status rounds_interrupted(struct train_state *train)
{
    struct train_progress *progress = &train->progress;
    bool forward = loss_has_transition(train->plan.asked), pilot = progress->round + 1 < FORWARD_ROUNDS;
    if (!forward || pilot)
        progress->end[0].stop = OPTIM_STOPPED;
    if (!forward || (!pilot && progress->counts.iterations > progress->round_begin))
        return TEMPER_OK;
    memcpy(progress->solution, train->plan.initial, train->plan.size * sizeof *progress->solution);
    progress->counts.iterations = 0;
    progress->solution_loss = train->plan.loss;
    progress->known.valid = false;
    set_half(train, FORWARD_ROUNDS - 1);
    return objective_reweigh(progress->objective, train->request->error);
}
