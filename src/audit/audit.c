/* audit: which labels look wrong. Fits models out of fold, compares every row with its neighbours, estimates the label
 * noise from both, and ranks the rows by the probability that their label is wrong. */
#include "audit/audit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit/audit_steps.h"
#include "audit/rff_ridge.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/thread.h"
#include "data/memory/memory_limit.h"
#include "search/many_fits.h"
#include "search/tune.h"
#include "tempered/loss_family.h"
#include "train/train.h"

/* The losses whose scores are combined by default: the first for overlapping classes, the second, which gives up rows
 * that contradict all others, for random and large-margin noise. */
static const temper_loss_spec DEFAULT_LOSSES[AUDIT_LOSSES] = {{.method = TEMPER_TEMPERED, .t1 = 1, .t2 = 1},
                                                              {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1}};

/* Default tolerances of the fits. Looser than those of training, since the list depends on the order of the rows;
 * measured average precisions did not change in their third digit with smaller ones. */
static const double TOLERANCE_BINARY = 1e-2, TOLERANCE_MULTICLASS = 1e-3, TOLERANCE_SELECTION = 1e-2;

/* ---- Input ----------------------------------------------------------------------------------- */

/* Evidence is measured in the activations of a two-temperature loss, so other losses are refused. */
static temper_status check_options(const struct audit_input *in, temper_loss_spec loss)
{
    const char *kind = in->options->kind;
    if (kind && strcmp(kind, "label") != 0 && strcmp(kind, "row") != 0)
        return error_set(in->error, TEMPER_USAGE, "unknown kind '%.64s' of audit; give label or row", kind);
    if (in->options->folds < 2)
        return error_set(in->error, TEMPER_USAGE, "folds must be 2 or more");
    if (!loss_is_two_temperature(loss))
        return error_set(in->error, TEMPER_USAGE,
                         "an audit needs the probabilities of a two-temperature loss, which loss %s does not have; "
                         "give temperatures",
                         method_name(loss.method));
    return TEMPER_OK;
}

/* Gathers one entry of `size` bytes per row of all processes into `all`, which is NULL if its allocation failed. */
static temper_status gather_into(struct audit_input *in, const void *mine, size_t size, void *all)
{
    TRY(comm_agree(in->labels.comm, all ? TEMPER_OK : error_no_memory(in->error), in->error));
    return gather_labels(&in->labels, mine, size, all, in->error);
}

/* Sets in->data to the labels and line numbers of all rows, on which the steps after the fits work. One process uses
 * its data as it is; several make a copy without features. */
static temper_status gather_rows(struct audit_input *in)
{
    const struct dataset *given = in->given;
    in->data = given;
    TRY(gathered_labels_needed(given, &in->labels, in->error));
    if (comm_alone(given->ranks.comm))
        return TEMPER_OK;
    in->all = gathered_labels_dataset(&in->labels, given);
    in->data = &in->all;
    /* Line numbers and original row numbers exist for some sources only. */
    if (given->line) {
        in->line = in->all.line = mem_alloc(in->labels.rows, sizeof *in->line);
        TRY(gather_into(in, given->line, sizeof *in->line, in->line));
    }
    if (given->origin) {
        in->origin = in->all.origin = mem_alloc(in->labels.rows, sizeof *in->origin);
        TRY(gather_into(in, given->origin, sizeof *in->origin, in->origin));
    }
    return TEMPER_OK;
}

/* Refuses what training would refuse, and too few rows for the folds. Sets *loss to the loss of the options,
 * resolved. */
static temper_status check_data(struct audit_input *in, temper_loss_spec *loss)
{
    TRY(audit_check_given(in));
    if (!in->options->probabilities)
        TRY(train_check(in->given, &in->train, in->error));
    *loss = loss_resolve(in->train.loss);
    TRY(gather_rows(in));
    /* With given probabilities folds are for the regression only. */
    bool folds = !in->options->probabilities || (in->features && in->data->classes.count <= NOISE_CLASSES);
    if (folds && in->data->x.rows < 2 * in->options->folds)
        return error_set(
            in->error, TEMPER_BAD_DATA, "%s: %zu rows are too few for %zu folds; give fewer folds, or more rows",
            in->data->file.path ? in->data->file.path : "data", (size_t)in->data->x.rows, in->options->folds);
    return TEMPER_OK;
}

/* Completes the options by defaults, and checks them with the data. */
static temper_status prepare(struct audit_input *in, struct audit_fits *fits)
{
    temper_train_options *train = &in->train;
    *train = in->options->train;
    /* Options that refer to a single training have no meaning here. */
    train->warm_start = NULL;
    train->validation = NULL;
    train->checkpoint = NULL;
    train->resume = 0;
    /* A tolerance of the user is for all fits; the defaults differ between the selection and the final fits. */
    in->selection_tolerance = train->tolerance;
    if (isnan(train->tolerance)) {
        in->selection_tolerance = TOLERANCE_SELECTION;
        train->tolerance = in->given->classes.count == 2 ? TOLERANCE_BINARY : TOLERANCE_MULTICLASS;
    }
    if (!train->threads)
        train->threads = thread_count_default();
    in->threads = train->threads;
    TRY(memory_limit_refuse(in->given, "an audit", in->error));
    TRY(check_data(in, &fits->loss[0]));
    TRY(check_options(in, fits->loss[0]));
    fits->losses = 1;
    in->rows = (size_t)in->data->x.rows;
    in->classes = in->data->classes.count;
    fits->l2 = train->l2;
    return TEMPER_OK;
}

/* Compares an upper bound of the memory with the limit of the data: the arrays that are kept to the end, and the
 * largest of three phases that follow each other: fits, embedding with regression, and lists of the ranking. */
temper_status audit_budget(const struct audit_input *in)
{
    const struct dataset *data = in->given;
    const double number = sizeof(double);
    double columns = in->features ? (double)in->features->x.columns : 0, rows = (double)data->x.rows, block = 0;
    double dimensions = columns < AUDIT_DIMENSIONS ? columns : AUDIT_DIMENSIONS;
    double classes = (double)in->classes;
    if (data->storage.memory_limit == 0)
        return TEMPER_OK;
    double losses = in->options->choose && !in->options->grid && !in->options->probabilities ? AUDIT_LOSSES : 1;
    double fits = 0;
    if (!in->options->probabilities)
        fits = fits_bytes(data, &in->train, in->options->folds * (size_t)losses, in->threads, &block);
    /* Points in double and single precision, and arrays of the size of the directions. */
    double embedding = rows * dimensions * (sizeof(double) + sizeof(float)) + (2 * dimensions + 1) * columns * number;
    double rff = classes <= NOISE_CLASSES ? RFF_RIDGE_BYTES * fmax(classes / 4, 1) + rows * (1 + classes) * number : 0;
    /* Unsorted and sorted entries of the report, sort keys, and the workspace of a row. */
    double lists = rows * (3 * sizeof(temper_audit_suspect) + 48 + number * classes);
    /* Activations, regression and posterior of every class, range, distance and neighbours are kept to the end. */
    double kept = rows * ((losses + 2) * number * classes + 40 + sizeof(uint32_t) * AUDIT_NEIGHBOURS);
    struct memory_limit_plan plan = {.what = "the audit",
                                     .needed = kept + fmax(fits, fmax(embedding + rff, lists)),
                                     .threads = in->threads,
                                     .block = block};
    return memory_limit_plan(data, &plan, in->error);
}

/* ---- Temperatures and penalty ---------------------------------------------------------------- */

/* Among the candidates within a standard error of the best accuracy, the one with the best probabilities: suspects
 * are ranked by probability. Where CV+C has overruled accuracy its selection stays, since the most accurate
 * candidates may have learnt the wrong labels. */
static size_t best_candidate(const temper_tune_report *report)
{
    size_t best = report->best;
    /* One standard error below the accuracy of the selected candidate. */
    double enough = report->table[best].accuracy - report->table[best].accuracy_error;
    if (strcmp(report->decided_by, "accuracy") != 0)
        return best;
    for (size_t i = 0; i < report->count; i++)
        if (report->table[i].accuracy >= enough && report->table[i].bounded_loss < report->table[best].bounded_loss)
            best = i;
    return best;
}

/* Copies loss and penalty of the selection, and the warnings of the search about the labels. */
static void take_choice(const temper_tune_report *tuned, struct audit_fits *fits, temper_audit_report *report)
{
    size_t best = best_candidate(tuned);
    fits->loss[0] = tuned->table[best].loss;
    fits->l2 = tuned->table[best].l2;
    report->warnings = tuned->warnings;
    sentence_append(report->notes, sizeof report->notes, "temperatures: t1 = %g, t2 = %g, l2 = %.4g: %s",
                    fits->loss[0].t1, fits->loss[0].t2, fits->l2,
                    best == tuned->best ? tuned->reason : "its probabilities are the best among the most accurate");
}

/* Selects loss and penalty from options->grid by a search with two folds. Two folds are the cheapest; more would only
 * distinguish candidates of nearly equal accuracy. */
static temper_status select_loss(const struct audit_input *in, struct audit_fits *fits, temper_audit_report *report)
{
    const temper_audit_options *options = in->options;
    /* No criterion is given, so that the rule CV+C decides. */
    temper_tune_options tuning = {.folds = 2,
                                  .train = in->train,
                                  .grid = options->grid,
                                  .on_progress = options->on_progress,
                                  .progress_context = options->progress_context};
    tuning.train.tolerance = in->selection_tolerance;
    /* The halves are then the even and the odd folds. */
    if (options->fold) {
        tuning.folds = options->folds;
        tuning.fold = options->fold;
    }
    temper_tune_report *tuned = mem_zeroed(1, sizeof *tuned); /* 19 KiB, below which the search has to fit */
    temper_status status = tuned ? tune(in->given, &tuning, NULL, tuned, in->error) : error_no_memory(in->error);
    /* An interrupted search has a table, but no selection. */
    if (status == TEMPER_OK && tuned->interrupted)
        status = error_set(in->error, TEMPER_INTERRUPTED, "interrupted");
    else if (status == TEMPER_OK)
        take_choice(tuned, fits, report);
    temper_tune_report_free(tuned);
    mem_free(tuned);
    return status;
}

/* The losses of the fits: those given, selected, or the default ones. */
static temper_status choose_losses(const struct audit_input *in, struct audit_fits *fits, temper_audit_report *report)
{
    if (!in->options->choose)
        return TEMPER_OK;
    if (in->options->grid)
        return select_loss(in, fits, report);
    fits->losses = AUDIT_LOSSES;
    memcpy(fits->loss, DEFAULT_LOSSES, sizeof DEFAULT_LOSSES);
    return TEMPER_OK;
}

/* ---- The audit ------------------------------------------------------------------------------- */

/* The results of all steps in one struct, so that free_results can free them after a failure at any step. */
struct audit_results {
    struct audit_fits fits;
    struct audit_neighbours near;
    struct audit_noise noise;
    temper_audit_report report;
};

/* Runs the steps in order: each reads the results of earlier ones, and fills one struct. */
static temper_status run_steps(struct audit_input *in, struct audit_results *r)
{
    TRY(prepare(in, &r->fits));
    if (in->options->probabilities) {
        TRY(audit_take_probabilities(in, &r->fits, &r->report));
    } else {
        TRY(choose_losses(in, &r->fits, &r->report));
        TRY(audit_out_of_fold(in, &r->fits, &r->report));
    }
    TRY(audit_embed(in, &r->fits, &r->near));
    TRY(audit_find_twins(in, &r->fits, &r->near));
    TRY(audit_estimate_noise(in, &r->fits, &r->near, &r->noise, &r->report));
    TRY(audit_rank(in, &r->fits, &r->near, &r->noise, &r->report));
    TRY(audit_health(in, &r->fits, &r->near, &r->report));
    if (in->options->probabilities)
        audit_warn_in_sample(in, &r->near, &r->report);
    r->report.loss = r->fits.loss[r->fits.main];
    r->report.l2 = r->fits.l2;
    r->report.folds = in->options->probabilities ? 0 : in->options->folds;
    r->report.seconds = train_clock() - in->started;
    /* The report takes over the neighbours, which a review page shows. */
    r->report.neighbours = r->near.neighbour;
    r->report.neighbour_count = r->near.count;
    r->near.neighbour = NULL;
    return TEMPER_OK;
}

/* Empty results, or NULL without memory. Not on the stack, of which some threads have 128 KiB: lists of warnings alone
 * take tens of them. */
static struct audit_results *new_results(void)
{
    struct audit_results *results = mem_zeroed(1, sizeof *results);
    if (results)
        results->fits.l2 = NAN;
    return results;
}

/* Frees all but the arrays of the report. */
static void free_results(struct audit_input *in, struct audit_results *r)
{
    gathered_labels_free(&in->labels);
    mem_free(in->line);
    mem_free(in->origin);
    scaled_features_free(&r->fits.features);
    split_free(&r->fits.folds);
    for (size_t i = 0; i < AUDIT_LOSSES; i++)
        mem_free(r->fits.activation[i]);
    mem_free(r->near.neighbour);
    mem_free(r->near.distance);
    mem_free(r->near.rff);
    mem_free(r->near.twin);
    mem_free(r->near.twin_distance);
    mem_free(r->noise.log_posterior);
    mem_free(r->noise.low);
    mem_free(r->noise.high);
    noise_estimate_free(&r->noise.estimate);
    mem_free(r);
}

/* The checks that run_steps makes before it fits anything. */
temper_status audit_check(const struct dataset *data, const temper_audit_options *options, temper_error *error)
{
    struct audit_input in = {.given = data, .options = options, .error = error, .started = train_clock()};
    struct audit_results *results = new_results();
    if (!results)
        return error_no_memory(error);
    temper_status status = prepare(&in, &results->fits);
    if (status == TEMPER_OK)
        status = audit_budget(&in);
    free_results(&in, results);
    return status;
}

/* The entry points. The outputs are untouched on failure. */
temper_status audit_weighted(const struct dataset *data, const temper_audit_options *options,
                             struct audited_weights *weights, temper_audit_report *report, temper_error *error)
{
    struct audited_weights found = {0};
    struct audit_input in = {.given = data,
                             .options = options,
                             .error = error,
                             .started = train_clock(),
                             .weights = weights ? &found : NULL};
    struct audit_results *results = new_results();
    if (!results)
        return error_no_memory(error);
    temper_status status = run_steps(&in, results);
    if (status == TEMPER_OK) {
        *report = results->report;
        if (weights)
            *weights = found;
    } else {
        temper_audit_report_free(&results->report);
        mem_free(found.joint);
    }
    free_results(&in, results);
    return status;
}

temper_status audit(const struct dataset *data, const temper_audit_options *options, temper_audit_report *report,
                    temper_error *error)
{
    return audit_weighted(data, options, NULL, report, error);
}
