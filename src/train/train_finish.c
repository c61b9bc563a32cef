/* train_finish: from the solution to a model for raw rows, the report, and the warnings that a user should read before
 * trusting the model.
 *
 * The solution is evaluated once more with the loss that was asked for, since validation, rounds or starts may have
 * kept other weights than the last evaluated ones. A solution on a plateau of a bounded loss, clearly worse than
 * intercepts alone, is refused: it is no model of the data. Warnings come from what is known already (why the solver
 * stopped, scaling) and, where there is a reason to look, from predictions of all rows: classes that are never
 * predicted, starts that lead to different models. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "data/columns/feature_sizes.h"
#include "data/columns/sanity_checks.h"
#include "tempered/loss_family.h"
#include "tempered/row_scores.h"
#include "tempered/tempered_functions.h"
#include "train/train_state.h"

/* Solutions of different starts are taken for the same model if at most this share of rows is predicted differently. */
static const double STARTS_DIFFER = 0.02;
/* Classes that are never predicted are worth a warning if they have this share of the rows. */
static const double NEVER_PREDICTED = 0.25;
/* Standard deviations of features that differ by more than this factor call for scaling. */
static const double SIZES_DIFFER = 1e4;
/* The same for the largest values of sparse features, which are not scaled by default. At a factor of 100 the default
 * penalty, which is proportional to the variance of all features, cost 12 points of accuracy where the small features
 * decide. */
static const double SPARSE_SIZES_DIFFER = 100;
/* Losses above that of no features by less than this are what a coarse tolerance leaves. */
static const double MIN_PLATEAU = 1e-3;

/* ---- The model ------------------------------------------------------------------------------- */

/* NULL: out of memory. Freed by mem_free. */
static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = mem_alloc(size, 1);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

/* Copies class and feature names, because the model outlives the dataset. False: out of memory. */
static bool copy_names(const struct dataset *data, struct model *model)
{
    for (size_t c = 0; c < data->classes.count; c++)
        if (classes_add(&model->classes, data->classes.name[c], strlen(data->classes.name[c])) >= CLASSES_FULL)
            return false;
    if (!data->features.count)
        return true;
    /* Zeroed, so that model_free can free a list that is not complete. */
    model->feature_names.name = (char **)mem_zeroed(data->features.count, sizeof *data->features.name);
    if (!model->feature_names.name)
        return false;
    model->feature_names.count = data->features.count;
    for (size_t j = 0; j < data->features.count; j++)
        if (!(model->feature_names.name[j] = copy_text(data->features.name[j])))
            return false;
    return true;
}

/* Copies the scaling for the description of the model; its weights are for raw rows already, so that nothing applies it
 * again. False: out of memory. */
static bool copy_scale(const struct scale *scale, struct model *model)
{
    size_t columns = model->features;
    model->scale.kind = scale->kind;
    model->scale.columns = columns;
    if (scale->kind == SCALE_NONE)
        return true;
    /* How many columns are constant, for the description. */
    model->scale.constants = scale->constants;
    model->scale.offset = mem_alloc(columns, sizeof(double));
    model->scale.factor = mem_alloc(columns, sizeof(double));
    if (!model->scale.offset || !model->scale.factor)
        return false;
    memcpy(model->scale.offset, scale->offset, columns * sizeof(double));
    memcpy(model->scale.factor, scale->factor, columns * sizeof(double));
    return true;
}

/* The matrix of label noise, for evaluations and for people: transposed, since the objective has it by given label.
 * False: out of memory. */
static bool copy_transition(const struct train_plan *plan, struct model *model)
{
    size_t classes = plan->data->classes.count;
    model->transition = mem_alloc(classes, classes * sizeof *model->transition);
    for (size_t i = 0; model->transition && i < classes * classes; i++)
        model->transition[i] = plan->transition[i % classes * classes + i / classes];
    return model->transition != NULL;
}

/* For comm_in_turn: adds the weights of the rows of this process to the sum so far, in the order of the rows, so that
 * the bits do not depend on the number of processes. */
static void add_weights(void *context, void *state)
{
    const struct train_plan *plan = context;
    double *sum = state;
    for (uint64_t row = 0; row < plan->data->x.rows; row++)
        *sum += plan->given_weight ? plan->given_weight[row] : 1;
}

/* Describes for the model file how the model was trained. No clock, host or thread count is part of it: equal training
 * gives equal files. */
static temper_status describe(const struct train_state *train, const temper_train_report *report,
                              struct model_training *training)
{
    const struct train_request *request = train->request;
    const temper_train_options *options = request->options;
    const struct dataset *data = train->plan.data;
    snprintf(training->solver, sizeof training->solver, "%s", report->solver);
    snprintf(training->stop, sizeof training->stop, "%s", temper_stop_name(report->stop));
    snprintf(training->init, sizeof training->init, "%s",
             options->warm_start ? "warm"
             : options->init     ? options->init
                                 : "zero");
    snprintf(training->precision, sizeof training->precision, "%s", report->precision);
    memcpy(training->fingerprint, train->plan.fingerprint, sizeof train->plan.fingerprint);
    training->tolerance = options->tolerance;
    training->max_iterations = options->max_iterations;
    training->seed = options->seed;
    training->rows = dataset_all_rows(data);
    training->objective = report->objective;
    training->loss = report->train_loss;
    training->gradient = report->gradient_norm;
    training->accuracy = report->accuracy;
    training->iterations = report->iterations;
    training->evaluations = report->evaluations;
    training->starts = options->starts;
    /* Remote rows were counted before; otherwise the weights of all processes are added up. */
    training->weight_sum = request->remote ? request->remote->weight_sum : 0;
    if (request->remote)
        return TEMPER_OK;
    return comm_in_turn(data->ranks.comm, add_weights, (void *)&train->plan, &training->weight_sum,
                        sizeof training->weight_sum, request->error);
}

/* Fills a model from weights of the solver: weights for raw rows (one vector after the other, where the solver
 * interleaves the classes), names, scale and schema. */
temper_status train_fill_model(const struct train_state *train, const double *w, struct model *model,
                               temper_error *error)
{
    const struct train_plan *plan = &train->plan;
    model->loss = plan->asked;
    if (plan->transition && !copy_transition(plan, model))
        return error_no_memory(error);
    model->l2 = plan->l2;
    model->l1 = plan->l1;
    model->intercept = !train->request->options->no_intercept;
    const struct raw_weights raw = {
        .weights = model->weights, .column_step = 1, .vector_step = model->features, .bias = model->bias};
    struct solution solution = {w, model->vectors, model->intercept};
    double *all = plan->row_space ? mem_alloc(model->features + 1, model->vectors * sizeof *all) : NULL;
    if (plan->row_space) {
        temper_status status = all ? row_space_weights(plan->row_space, solution, all, error) : error_no_memory(error);
        if (status != TEMPER_OK) {
            mem_free(all);
            return status;
        }
        solution.w = all;
    }
    scaled_features_raw_weights(plan->features, solution, raw);
    mem_free(all);
    if (!copy_names(plan->features->data, model) || !copy_scale(&plan->features->scale, model))
        return error_no_memory(error);
    const struct schema *schema = train->request->data->schema;
    return schema ? schema_copy(schema, &model->schema, error) : TEMPER_OK;
}

/* ---- The report ------------------------------------------------------------------------------ */

/* Value, gradient and accuracy at the solution, with the loss that was asked for: the report describes the weights that
 * are saved, even where validation chose others than the last. The gradient of a hinge is that of the rounded loss,
 * because the sharp one has none at its kinks; value and accuracy are those of the sharp one. */
static temper_status evaluate_solution(struct train_state *train, temper_train_report *report)
{
    const struct train_plan *plan = &train->plan;
    struct train_progress *progress = &train->progress;
    temper_error *error = train->request->error;
    double zero = progress->solution_scale;
    bool known;
    progress_set_loss(progress, progress->solution_loss, plan->l2, plan->l1); /* a hinge: as it was rounded */
    temper_status status = progress_evaluate(progress, progress->solution, &report->objective, &known, error);
    progress->counts.evaluations += !known;
    double norm = progress_gradient_norm(plan, progress, progress->solution);
    report->gradient_norm = zero > 0 ? norm / zero : 0;
    /* The value that users compare is that of the hinge as they asked for it. */
    if (status == TEMPER_OK && plan->loss.method == TEMPER_HINGE) {
        progress_set_loss(progress, plan->loss, plan->l2, plan->l1);
        status = progress_evaluate(progress, progress->solution, &report->objective, &known, error);
    }
    /* Without the penalty; of the last evaluation, as is the accuracy. */
    report->train_loss = objective_loss(progress->objective);
    report->accuracy = progress->kept_accuracy = objective_accuracy(progress->objective);
    if (status == TEMPER_OK && !isfinite(report->objective))
        return error_set(error, TEMPER_BAD_DATA, "the loss is not a finite number; pass --scale standard");
    /* Rows that the last round left out count too. */
    return status == TEMPER_OK && plan->reweighted ? rounds_accuracy(train, &report->accuracy) : status;
}

/* Why the solution that is kept ended. Validation and the user both stop the optimiser by the callback; the flags
 * distinguish the two. */
static temper_stop stop_reason(const struct train_state *train)
{
    /* In the order of enum optim_stop. */
    static const temper_stop stops[] = {TEMPER_STOP_CONVERGED, TEMPER_STOP_MAX_ITER, TEMPER_STOP_STALLED,
                                        TEMPER_STOP_INTERRUPTED, TEMPER_STOP_PLATEAU};
    const struct train_progress *progress = &train->progress;
    bool by_validation = train->validation && train->validation->stopped;
    const enum optim_stop stop = progress->end[0].stop;
    return by_validation && stop == OPTIM_STOPPED && !progress->interrupted ? TEMPER_STOP_VALIDATION : stops[stop];
}

/* Weights other than 0, and features that have one for any class. */
static void count_nonzero(const struct train_state *train, temper_train_report *report)
{
    const struct train_plan *plan = &train->plan;
    report->nonzero = report->nonzero_features = 0;
    for (size_t j = 0; j < (size_t)plan->data->x.columns; j++) {
        size_t count = 0;
        for (size_t k = 0; k < plan->vectors; k++)
            count += train->progress.solution[j * plan->vectors + k] != 0;
        report->nonzero += count;
        report->nonzero_features += count > 0;
    }
}

/* Fills the report, except for what evaluate_solution has measured. `passes` is the work in units of one evaluation
 * over all rows. */
static void fill_report(const struct train_state *train, temper_train_report *report)
{
    const struct train_plan *plan = &train->plan;
    const struct train_counts *counts = &train->progress.counts;
    /* The cost of a Hessian depends on the entries of a row, as the solver saw it. */
    const bool dense = plan->data->x.kind != MATRIX_CSR;
    double entries_per_row = dense ? (double)plan->solver_columns
                                   : (double)dataset_all_nonzeros(plan->data) / (double)dataset_all_rows(plan->data);
    report->stop = stop_reason(train);
    report->solver = solver_name(train->progress.solver);
    report->precision = plan->f64 ? "f64" : "f32";
    report->loss = plan->asked;
    report->l2 = plan->l2;
    report->l1 = plan->l1;
    count_nonzero(train, report);
    report->validation = train->validation ? train->validation->best_loss : (double)NAN;
    report->iterations = counts->iterations;
    report->evaluations = counts->evaluations;
    report->products = counts->products;
    report->hessians = counts->hessians;
    /* A Hessian multiplies half of all pairs of entries where a pass multiplies each entry twice; that of a working set
     * has about the features that are used in the end. */
    double used =
        plan->solver == SOLVER_PROXIMAL ? (double)report->nonzero_features / (double)plan->data->x.columns : 1;
    report->passes = (double)(report->evaluations + report->products) +
                     (double)report->hessians * fmax(1, entries_per_row * used * used / 4);
    report->resumed = train->progress.resumed;
}

/* ---- Nothing learnt -------------------------------------------------------------------------- */

/* For comm_in_turn. share[c]: the sum of the weights of class c, as they were given; share[classes]: of all rows. */
static void add_class_weights(void *context, void *state)
{
    const struct train_plan *plan = context;
    const struct dataset *data = plan->data;
    double *share = state, *sum = share + data->classes.count;
    for (uint64_t row = 0; row < data->x.rows; row++) {
        double weight = plan->given_weight ? plan->given_weight[row] : 1;
        share[data->label[row]] += weight;
        *sum += weight;
    }
}

/* The weighted share of each class among the rows of all processes, or of all shards. Freed by the caller. */
static temper_status class_shares(const struct train_state *train, double **out)
{
    const struct train_request *request = train->request;
    const struct dataset *data = train->plan.data;
    size_t classes = data->classes.count;
    double *share = mem_zeroed(classes + 1, sizeof *share);
    if (!share)
        return error_no_memory(request->error);
    temper_status status = TEMPER_OK;
    /* The coordinator has the class weights from the statistics of the shards. */
    if (request->remote) {
        memcpy(share, request->remote->class_weight, classes * sizeof *share);
        share[classes] = request->remote->weight_sum;
    } else {
        status = comm_in_turn(data->ranks.comm, add_class_weights, (void *)&train->plan, share,
                              (classes + 1) * sizeof *share, request->error);
    }
    /* The last entry is the sum of all weights, which the check of the data has found positive. */
    for (size_t c = 0; c < classes; c++)
        share[c] /= share[classes];
    if (status == TEMPER_OK)
        *out = share;
    else
        mem_free(share);
    return status;
}

/* The accuracy of the best constant prediction. */
static double largest_share(const double *share, size_t classes)
{
    double largest = 0;
    for (size_t c = 0; c < classes; c++)
        largest = fmax(largest, share[c]);
    return largest;
}

/* The same for the Bregman loss, t1 < 1: it is proper, so that p-hat are the class shares s, and the mean loss is
 * (1 - sum_c s_c^(2 - t1)) / ((1 - t1) (2 - t1)). */
static double bregman_of_no_features(double t1, const double *share, size_t classes)
{
    double sum = 0;
    for (size_t c = 0; c < classes; c++)
        sum += pow(share[c], 2 - t1);
    return (1 - sum) / ((1 - t1) * (2 - t1));
}

/* The smallest mean loss that intercepts alone can reach, for a bounded loss. p-hat of a two-temperature loss is the
 * escort distribution of order 1/t1 of the class shares (section 5 of the paper), and all on the largest class for
 * t1 = 0. Shares are divided by the largest, so that the powers do not underflow. */
static double loss_of_no_features(temper_loss_spec loss, const double *share, size_t classes)
{
    double sum = 0, total = 0, largest = largest_share(share, classes);
    if (loss.method == TEMPER_SCE) /* without the cross-entropy: its bound times 1 - p, which is the loss of t1 = 0 */
        return loss_bound(loss) * (1 - largest);
    if (loss.method == TEMPER_BREGMAN)
        return bregman_of_no_features(loss.t1, share, classes);
    if (loss.t1 == 0)
        return 1 - largest;
    for (size_t c = 0; c < classes; c++)
        sum += pow(share[c] / largest, 1 / loss.t1);
    for (size_t c = 0; c < classes; c++)
        if (share[c] > 0)
            total -= share[c] * log_t(pow(share[c] / largest, 1 / loss.t1) / sum, loss.t1);
    return total;
}

/* What makes a loss less willing to give up rows or classes: the remedy, by the parameters that the method has. */
static const char *more_convex(temper_loss_spec loss)
{
    bool t1 = method_has_free_temperature(loss.method, 0), t2 = method_has_free_temperature(loss.method, 1);
    if (t1 || t2)
        return t1 && t2 ? "lower t2, or raise t1" : t1 ? "raise t1" : "lower t2";
    switch (loss.method) {
    case TEMPER_SCE:
        return "raise alpha of sce, or lower its beta";
    case TEMPER_TRIMMED:
        return "trim a smaller share, as in --loss trimmed:0.05";
    case TEMPER_FORWARD: /* the estimate takes the labels of rare classes for noise */
        return "pass --loss logistic";
    default:
        return "lower --l2, or pass --class-weight balanced";
    }
}

/* Whether the solution may be on a plateau: only a bounded loss is flat far out. Weights that are all 0 are not there,
 * a training that ran out of iterations has not ended, and without intercepts the comparison below does not apply. */
static bool may_be_plateau(const struct train_state *train)
{
    const struct train_progress *progress = &train->progress;
    double norm = 0;
    for (size_t i = 0; i < train->plan.size; i++)
        norm += progress->solution[i] * progress->solution[i];
    return isfinite(loss_bound(train->plan.loss)) && norm > 0 && !progress->interrupted &&
           progress->end[0].stop != OPTIM_MAX_ITER && !train->request->options->no_intercept;
}

/* TEMPER_BAD_DATA if the solution is clearly worse than no features at all. Where features carry no information, the
 * best model has the loss of no features, up to what the tolerance leaves; a plateau has about the loss of predicting
 * one class everywhere, with certainty. The threshold is half-way between the two. */
static temper_status refuse_plateau(const struct train_state *train, const temper_train_report *report)
{
    temper_loss_spec loss = train->plan.loss;
    size_t classes = train->plan.data->classes.count;
    double *share = NULL;
    /* The shares of the classes take a pass over the labels. */
    if (!may_be_plateau(train))
        return TEMPER_OK;
    TRY(class_shares(train, &share));
    double least = loss_of_no_features(loss, share, classes);
    /* A label of probability 0 has the largest loss. */
    double certain = (1 - largest_share(share, classes)) * loss_bound(loss);
    mem_free(share);
    /* The loss of t1 = 0 has the bound 1; sce is that times its bound. */
    double unit = loss.method == TEMPER_SCE ? loss_bound(loss) : 1;
    if (report->train_loss <= fmax((least + certain) / 2, least + MIN_PLATEAU * unit))
        return TEMPER_OK;
    return error_set(train->request->error, TEMPER_BAD_DATA,
                     "nothing was learnt: training ended where the loss is flat (%.4g, and %.4g "
                     "without any features); %s, or start elsewhere with --starts 2",
                     report->train_loss, least, more_convex(train->plan.asked));
}

/* ---- Warnings: how it ended ------------------------------------------------------------------ */

/* How far it came, for the messages below. The gradient alone does not decide: the objective may still decrease by more
 * than the tolerance allows (struct optim_distance). */
static void format_distance(const struct train_state *train, const temper_train_report *report, char *text, size_t size)
{
    double tolerance = train->request->options->tolerance;
    if (report->gradient_norm <= tolerance)
        snprintf(
            text, size,
            "with the gradient at %.4g of its start, which is small enough, but the decrease of the objective that "
            "is still expected is not",
            report->gradient_norm);
    else
        snprintf(text, size, "with the gradient at %.4g of its start, not at %g", report->gradient_norm, tolerance);
}

/* Warns where training ended before convergence, with the remedy for each reason; and of separable classes without a
 * penalty, where the loss has no minimum. */
static void warn_stop(const struct train_state *train, temper_train_report *report)
{
    const struct train_plan *plan = &train->plan;
    size_t most = train->request->options->max_iterations;
    char distance[200];
    if (report->stop == TEMPER_STOP_MAX_ITER || report->stop == TEMPER_STOP_STALLED)
        format_distance(train, report, distance, sizeof distance);
    if (report->stop == TEMPER_STOP_MAX_ITER)
        warning_append(&report->warnings, TEMPER_WARNING_NOT_CONVERGED,
                       "stopped after %zu iteration%s %s; raise --max-iter, or --tol if that is good enough", most,
                       plural(most), distance);
    /* A hinge stalls by a rule of its own, with another remedy. */
    double decrease = hinge_min_decrease(plan, train->progress.solution_loss);
    if (report->stop == TEMPER_STOP_STALLED && decrease > 0)
        warning_append(&report->warnings, TEMPER_WARNING_NOT_CONVERGED,
                       "stalled %s: the hinge has kinks, and the last hundred iterations lowered the objective by less "
                       "than %.2g; raise --tol, or pass --loss logistic",
                       distance, decrease);
    else if (report->stop == TEMPER_STOP_STALLED)
        warning_append(&report->warnings, TEMPER_WARNING_NOT_CONVERGED,
                       "stalled %s: rounding hides any further progress; %s, or raise --tol", distance,
                       plan->f64 ? "pass --scale standard if the features differ in size" : "pass --precision f64");
    /* Scaling up separating weights decreases the loss without end. */
    if (train->progress.kept_accuracy == 1 && plan->l2 == 0 && plan->l1 == 0)
        warning_append(&report->warnings, TEMPER_WARNING_SEPARABLE,
                       "the classes%s are separable and l2 is 0: the weights have no finite optimum; pass --l2 1e-4 or "
                       "more",
                       report->accuracy < 1 ? " of the rows that trimming leaves" : "");
}

/* Notes that the penalty leaves no feature: a legal model, which predicts the same for every row. The gradient at it
 * shows the smallest such penalty. */
static void warn_empty(const struct train_state *train, temper_train_report *report)
{
    const struct train_plan *plan = &train->plan;
    double largest = 0;
    if (!(plan->l1 > 0) || report->nonzero > 0)
        return;
    for (size_t i = 0; i < (size_t)plan->data->x.columns * plan->vectors; i++)
        largest = fmax(largest, fabs(train->progress.gradient[i]));
    warning_append(&report->warnings, TEMPER_WARNING_NO_FEATURES,
                   "no feature has a weight: l1 = %.6g is at least %.6g, from which on every weight is 0; lower --l1",
                   plan->l1, largest);
}

/* Warns of rounds that a limit has ended, and of labels from which no matrix of label noise can be estimated. */
static void warn_rounds(const struct train_state *train, temper_train_report *report)
{
    const struct train_progress *progress = &train->progress;
    bool forward = loss_has_transition(train->plan.asked);
    if (progress->rounds_unfinished && !forward)
        warning_append(&report->warnings, TEMPER_WARNING_NOT_CONVERGED,
                       "stopped after %zu rounds, though the rows that fit worst are others again: labels hardly "
                       "depend on the features; trim a smaller share, as in --loss trimmed:0.05",
                       progress->round);
    if (progress->rounds_unfinished && forward)
        warning_append(&report->warnings, TEMPER_WARNING_NOT_CONVERGED,
                       "a fit to half of the rows, for the matrix of label noise, stopped after %zu iteration%s; raise "
                       "--max-iter, or --tol if that is good enough",
                       train->request->options->max_iterations, plural(train->request->options->max_iterations));
    if (progress->pilot && progress->pilot->at_chance)
        warning_append(&report->warnings, TEMPER_WARNING_RANDOM_LABELS,
                       "the labels look random: fits to either half of the rows predict the other half no better than "
                       "chance, so that the matrix of label noise is not known; give more rows, or pass --loss "
                       "logistic");
}

/* ---- Warnings: features ---------------------------------------------------------------------- */

/* Warns of unscaled features whose sizes differ by orders of magnitude. Features that are constant or always 0 are left
 * out. */
static temper_status warn_sizes(const struct train_state *train, temper_train_report *report)
{
    const struct train_plan *plan = &train->plan;
    temper_error *error = train->request->error;
    const bool sparse = plan->data->x.kind == MATRIX_CSR;
    double least = INFINITY, most = 0;
    /* Scaled features have similar sizes by construction. */
    if (plan->features->scale.kind != SCALE_NONE)
        return TEMPER_OK;
    double *size = mem_zeroed((size_t)plan->data->x.columns, sizeof *size);
    temper_status status = comm_agree(plan->data->ranks.comm, size ? TEMPER_OK : error_no_memory(error), error);
    if (status == TEMPER_OK && size) { /* the latter follows, which an analyser cannot see */
        const struct sized_rows rows = {plan->data, plan->given_weight, plan->threads};
        status = feature_sizes(&rows, size, error);
    }
    for (size_t j = 0; status == TEMPER_OK && size && j < (size_t)plan->data->x.columns; j++)
        if (size[j] > 0 && isfinite(size[j])) {
            least = size[j] < least ? size[j] : least; /* fmin and fmax are calls */
            most = size[j] > most ? size[j] : most;
        }
    mem_free(size);
    if (status == TEMPER_OK && most > (sparse ? SPARSE_SIZES_DIFFER : SIZES_DIFFER) * least)
        warning_append(&report->warnings, TEMPER_WARNING_ILL_CONDITIONED,
                       "features differ in size by a factor of %.1g, so that the penalty weighs on the small "
                       "ones and the problem is ill-conditioned; pass --scale %s",
                       most / least, sparse ? "maxabs" : "standard");
    return status;
}

/* Warns of outliers: a single mistyped cell makes a scaled column useless. Finding the row takes all rows in one
 * process, with their lines. */
static void warn_outliers(const struct train_state *train, temper_train_report *report)
{
    const struct dataset *data = train->plan.features->given;
    const struct scale *scale = &train->plan.features->scale;
    struct outlier_value outlier;
    for (size_t i = 0; i < scale->outliers && comm_alone(train->request->data->ranks.comm); i++) {
        if (!outlier_find(data, scale->outlier[i], &outlier))
            continue;
        /* Lines of the file where they are known, else row numbers from 1. */
        unsigned long long line = data->line ? data->line[outlier.row] : outlier.row + 1;
        warning_append(&report->warnings, TEMPER_WARNING_OUTLIER,
                       "%s: the value %.7g in %s %llu is over 1000 times as far from the others as they are "
                       "from each other, and scaling makes these all but equal; correct it or drop the row",
                       feature_text(data, scale->outlier[i]).text, outlier.value, data->line ? "line" : "row", line);
    }
}

/* ---- Warnings: predictions ------------------------------------------------------------------- */

/* predicted[row]: the class that the solution w predicts for each row of this process, PREDICTED_ROWS at a time so that
 * the scores stay small. */
static temper_status predict_rows(const struct train_state *train, const double *w, uint32_t *predicted)
{
    const struct train_plan *plan = &train->plan;
    temper_error *error = train->request->error;
    size_t vectors = plan->vectors, rows = (size_t)plan->data->x.rows;
    double *score = mem_alloc(rows < PREDICTED_ROWS ? rows : PREDICTED_ROWS, vectors * sizeof *score);
    if (!score)
        return error_no_memory(error);
    /* The layout of the solver: the classes are interleaved. */
    struct solution solution = {w, vectors, !train->request->options->no_intercept};
    temper_status status = TEMPER_OK;
    for (size_t from = 0; status == TEMPER_OK && from < rows; from += PREDICTED_ROWS) {
        size_t left = rows - from, count = left < PREDICTED_ROWS ? left : PREDICTED_ROWS;
        /* Raw rows, by weights for raw rows: nothing is copied. */
        struct matrix slice = matrix_slice(&plan->features->given->x, from, count);
        status = scaled_features_activations_of(plan->features, &slice, solution, plan->threads, score, error);
        for (size_t row = 0; status == TEMPER_OK && row < count; row++)
            predicted[from + row] = class_of_scores(score + row * vectors, vectors);
    }
    mem_free(score);
    return status;
}

/* The share of rows, of all processes, for which two predictions differ. */
static temper_status disagreement(const struct train_state *train, const uint32_t *a, const uint32_t *b, double *share)
{
    const struct dataset *data = train->plan.data;
    uint64_t different = 0, all;
    /* Rows count alike here, whatever their weights. */
    for (uint64_t row = 0; row < data->x.rows; row++)
        different += a[row] != b[row];
    TRY(comm_count(data->ranks.comm, different, NULL, &all, train->request->error));
    *share = (double)all / (double)dataset_all_rows(data);
    return TEMPER_OK;
}

/* The context of mark_predicted. */
struct predicted_rows {
    size_t rows;
    const uint32_t *predicted;
};

/* For comm_in_turn. is_predicted[c] becomes 1 if any row is predicted to be of class c. */
static void mark_predicted(void *context, void *state)
{
    const struct predicted_rows *rows = context;
    unsigned char *is_predicted = state;
    for (size_t row = 0; row < rows->rows; row++)
        is_predicted[rows->predicted[row]] = 1;
}

/* Warns of classes that are never predicted. A bounded loss can be smallest where some classes are abandoned: their
 * rows have probabilities near 0, where the loss is flat. That is a solution of the problem, and a useless one. */
static temper_status warn_missing_classes(const struct train_state *train, const uint32_t *predicted,
                                          const double *share, temper_train_report *report)
{
    const struct dataset *data = train->plan.data;
    size_t classes = data->classes.count, left = 0, only = 0;
    /* The share of the rows in classes that are never predicted. */
    double lost = 0;
    struct predicted_rows rows = {(size_t)data->x.rows, predicted};
    unsigned char *is_predicted = mem_zeroed(classes, 1);
    if (!is_predicted)
        return error_no_memory(train->request->error);
    temper_status status =
        comm_in_turn(data->ranks.comm, mark_predicted, &rows, is_predicted, classes, train->request->error);
    for (size_t c = 0; c < classes; c++) {
        left += is_predicted[c];
        only = is_predicted[c] ? c : only;
        lost += is_predicted[c] ? 0 : share[c];
    }
    mem_free(is_predicted);
    if (status != TEMPER_OK)
        return status;
    /* Each case has its own remedy: nothing to learn from, too strong a penalty, or a loss that gives up classes. */
    if (left == 1 && train->plan.features->scale.constants == data->x.columns)
        warning_append(&report->warnings, TEMPER_WARNING_ONE_CLASS,
                       "every row is predicted to be '%.40s': no feature differs from row to row; give columns that do",
                       data->classes.name[only]);
    else if (left == 1)
        warning_append(&report->warnings, TEMPER_WARNING_ONE_CLASS,
                       "every row is predicted to be '%.40s': the model has collapsed to one class; lower "
                       "--l2, or pass --class-weight balanced",
                       data->classes.name[only]);
    else if (lost >= NEVER_PREDICTED)
        warning_append(&report->warnings, TEMPER_WARNING_MISSING_CLASSES,
                       "%zu of %zu classes, with %.0f %% of the rows, are never predicted: this loss is least "
                       "where they are given up; %s",
                       classes - left, classes, 100 * lost, more_convex(train->plan.asked));
    return TEMPER_OK;
}

/* Warns of starts that lead to a different model: compares the predictions of each solution with those of the one that
 * is kept, which is the first in the list. The lowest objective need not be the best model: where labels are wrong, it
 * may be the one that has learnt the mistakes. */
static temper_status warn_starts(const struct train_state *train, const uint32_t *kept, uint32_t *other,
                                 temper_train_report *report)
{
    const struct train_progress *progress = &train->progress;
    const struct start_end *end = progress->end;
    const char *measure = train->validation ? "validation loss" : "objective";
    for (size_t k = 1; k < progress->solutions; k++) {
        double share;
        TRY(predict_rows(train, progress->solution + k * train->plan.size, other));
        TRY(disagreement(train, kept, other, &share));
        if (share > STARTS_DIFFER)
            warning_append(&report->warnings, TEMPER_WARNING_STARTS_DISAGREE,
                           "start %zu ends in another model than start %zu, which is kept (%s %.6g, not %.6g), and "
                           "predicts %.1f %% of the rows differently: the labels carry structure that no single fit "
                           "can settle; look at the rows with 'temper audit', or let a few trusted labels decide",
                           end[k].start + 1, end[0].start + 1, measure, end[0].value, end[k].value, 100 * share);
    }
    return TEMPER_OK;
}

/* The warnings that need predictions of all rows: 8 bytes for each row, for the first solution and another one. */
static temper_status check_predictions(const struct train_state *train, const double *share,
                                       temper_train_report *report)
{
    size_t rows = (size_t)train->plan.data->x.rows;
    /* Counted in PREDICTED_BYTES by memory_budget.c. */
    uint32_t *first = mem_alloc(rows, sizeof *first), *other = mem_alloc(rows, sizeof *other);
    temper_status status =
        first && other ? predict_rows(train, train->progress.solution, first) : error_no_memory(train->request->error);
    if (status == TEMPER_OK)
        status = warn_missing_classes(train, first, share, report);
    if (status == TEMPER_OK)
        status = warn_starts(train, first, other, report);
    mem_free(first);
    mem_free(other);
    return status;
}

/* Spends a pass over the rows only where there may be something to warn of: several solutions, or an accuracy so low
 * that classes may never be predicted. */
static temper_status warn_predictions(const struct train_state *train, temper_train_report *report)
{
    size_t classes = train->plan.data->classes.count;
    double *share = NULL;
    TRY(class_shares(train, &share));
    /* No better than the largest class, or low enough that NEVER_PREDICTED of the rows may have abandoned classes. */
    bool low_accuracy = report->accuracy <= largest_share(share, classes) * (1 + 1e-9) ||
                        (classes > 2 && report->accuracy <= 1 - NEVER_PREDICTED);
    temper_status status = TEMPER_OK;
    if (train->progress.solutions >= 2 || low_accuracy)
        status = check_predictions(train, share, report);
    mem_free(share);
    return status;
}

/* All warnings, the most important ones first. Those of remote rows are about stopping alone, because the others look
 * at rows. */
static temper_status add_warnings(const struct train_state *train, temper_train_report *report)
{
    const struct train_plan *plan = &train->plan;
    warn_stop(train, report);
    warn_empty(train, report);
    if (plan->reweighted)
        warn_rounds(train, report);
    if (train->request->remote)
        return TEMPER_OK;
    if (plan->l1 > 0 && report->nonzero == 0)
        return TEMPER_OK; /* the same class for every row, which is said */
    warn_outliers(train, report);
    TRY(warn_sizes(train, report));
    return warn_predictions(train, report);
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* Publishes model and report last, so that both are untouched on failure. */
temper_status train_finish(struct train_state *train, struct model **model, temper_train_report *report)
{
    const struct train_request *request = train->request;
    struct train_plan *plan = &train->plan;
    temper_train_report made = {0};
    struct model *trained = NULL;
    TRY(train_plan_fingerprint(request, plan));
    TRY(evaluate_solution(train, &made));
    fill_report(train, &made);
    /* Before the model is made: a refused training has none. */
    TRY(refuse_plateau(train, &made));
    TRY(model_new(plan->data->classes.count, (size_t)plan->data->x.columns, &trained, request->error));
    temper_status status = train_fill_model(train, train->progress.solution, trained, request->error);
    if (status == TEMPER_OK)
        status = describe(train, &made, &trained->training);
    if (status == TEMPER_OK)
        status = add_warnings(train, &made);
    if (status != TEMPER_OK) {
        model_free(trained);
        return status;
    }
    /* The warnings are a part of the time that users wait. */
    made.seconds = train_clock() - train->progress.started;
    *report = made;
    *model = trained;
    return TEMPER_OK;
}
