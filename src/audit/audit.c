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

/* Temperatures for random, pairwise and large-margin noise; the grid adds (1, 1) and (0.1, 1.12). Few penalties: they
 * matter less than they do with few rows. */
static const char temperatures[] = "t1=0.3,0.5 t2=1";
static const char penalties[] = "l2=0.1x..1x:2";

/* Default tolerances; smaller ones change no average precision in its third digit. */
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

/* Gathers one entry per row of all processes; `all` is NULL where there was no memory for it. */
static temper_status gather_into(struct audit_input *in, const void *mine, size_t size, void *all)
{
    return all ? gather_labels(&in->labels, mine, size, all, in->error) : error_no_memory(in->error);
}

/* Labels and line numbers of the rows of all processes: what the steps after the fits work on. */
static temper_status gather_rows(struct audit_input *in)
{
    const struct dataset *given = in->given;
    in->data = given;
    TRY(gathered_labels_needed(given, &in->labels, in->error));
    if (comm_alone(given->ranks.comm))
        return TEMPER_OK;
    in->all = gathered_labels_dataset(&in->labels, given);
    in->data = &in->all;
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

/* Refuses what training would refuse, and too few rows; *loss is that of the options, resolved. */
static temper_status check_data(struct audit_input *in, temper_loss_spec *loss)
{
    temper_status status = train_check(in->given, &in->train, in->error);
    *loss = loss_resolve(in->train.loss);
    if (status == TEMPER_OK)
        status = gather_rows(in);
    if (status != TEMPER_OK)
        return status;
    if (in->data->x.rows < 2 * in->options->folds)
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
    train->warm_start = NULL;
    train->validation = NULL;
    train->checkpoint = NULL;
    train->resume = 0;
    in->selection_tolerance = train->tolerance;
    if (isnan(train->tolerance)) {
        in->selection_tolerance = TOLERANCE_SELECTION;
        train->tolerance = in->given->classes.count == 2 ? TOLERANCE_BINARY : TOLERANCE_MULTICLASS;
    }
    if (!train->threads)
        train->threads = thread_count_default();
    in->threads = train->threads;
    TRY(memory_limit_refuse(in->given, "an audit", in->error));
    TRY(check_data(in, &fits->loss));
    TRY(check_options(in, fits->loss));
    in->rows = (size_t)in->data->x.rows;
    in->classes = in->data->classes.count;
    fits->l2 = train->l2;
    return TEMPER_OK;
}

/* An upper bound: what is kept to the end, and the largest of three phases: fits, embedding with regression, and
 * the lists of the ranking. */
temper_status audit_budget(const struct audit_input *in)
{
    const struct dataset *data = in->given;
    const double number = sizeof(double);
    double columns = (double)data->x.columns, rows = (double)data->x.rows, block;
    double dimensions = columns < AUDIT_DIMENSIONS ? columns : AUDIT_DIMENSIONS;
    double classes = (double)in->classes;
    if (data->storage.memory_limit == 0)
        return TEMPER_OK;
    double fits = fits_bytes(data, &in->train, in->options->folds, in->threads, &block);
    double embedding = rows * dimensions * (sizeof(double) + sizeof(float)) + (2 * dimensions + 1) * columns * number;
    double rff = classes == 2 ? RFF_RIDGE_BYTES + 3 * rows * number : 0;
    double lists = rows * (3 * sizeof(temper_audit_suspect) + 48 + number * classes);
    /* Activations and evidence of every class, belief, distance and neighbours are kept to the end. */
    double kept = rows * (2 * number * classes + 24 + sizeof(uint32_t) * AUDIT_NEIGHBOURS);
    struct memory_limit_plan plan = {.what = "the audit",
                                     .needed = kept + fmax(fits, fmax(embedding + rff, lists)),
                                     .threads = in->threads,
                                     .block = block};
    return memory_limit_plan(data, &plan, in->error);
}

/* ---- Temperatures and penalty ---------------------------------------------------------------- */

/* Among candidates of equal accuracy, within a standard error, the one with the best probabilities makes the best
 * list of suspects. Not where CV+C has overruled accuracy: the most accurate candidates share the labels' mistakes. */
static size_t best_candidate(const temper_tune_report *report)
{
    size_t best = report->best;
    double enough = report->table[best].accuracy - report->table[best].accuracy_error;
    if (strcmp(report->decided_by, "accuracy") != 0)
        return best;
    for (size_t i = 0; i < report->count; i++)
        if (report->table[i].accuracy >= enough && report->table[i].bounded_loss < report->table[best].bounded_loss)
            best = i;
    return best;
}

/* Warnings of the search about the labels are warnings of the audit too. */
static void take_choice(const temper_tune_report *tuned, struct audit_fits *fits, temper_audit_report *report)
{
    size_t best = best_candidate(tuned);
    fits->loss = tuned->table[best].loss;
    fits->l2 = tuned->table[best].l2;
    memcpy(report->warnings, tuned->warnings, sizeof report->warnings - 1);
    sentence_append(report->notes, sizeof report->notes, "temperatures: t1 = %g, t2 = %g, l2 = %.4g: %s", fits->loss.t1,
                    fits->loss.t2, fits->l2,
                    best == tuned->best ? tuned->reason : "its probabilities are the best among the most accurate");
}

/* Selects loss and penalty by two folds alone: what they cannot distinguish makes no difference to the ranking. */
static temper_status select_loss(const struct audit_input *in, struct audit_fits *fits, temper_audit_report *report)
{
    const temper_audit_options *options = in->options;
    char grid[128];
    if (!options->choose)
        return TEMPER_OK;
    temper_tune_options tuning = {.folds = 2,
                                  .train = in->train,
                                  .on_progress = options->on_progress,
                                  .progress_context = options->progress_context};
    temper_tune_report tuned;
    tuning.train.tolerance = in->selection_tolerance;
    if (isnan(fits->l2))
        snprintf(grid, sizeof grid, "%s %s", temperatures, penalties);
    else
        snprintf(grid, sizeof grid, "%s l2=%.17g", temperatures, fits->l2);
    tuning.grid = options->grid ? options->grid : grid;
    TRY(tune(in->given, &tuning, NULL, &tuned, in->error));
    bool interrupted = tuned.interrupted;
    if (!interrupted)
        take_choice(&tuned, fits, report);
    temper_tune_report_free(&tuned);
    return interrupted ? error_set(in->error, TEMPER_INTERRUPTED, "interrupted") : TEMPER_OK;
}

/* ---- The audit ------------------------------------------------------------------------------- */

/* The results of all steps, so that they can be freed together. */
struct audit_results {
    struct audit_fits fits;
    struct audit_neighbours near;
    struct audit_noise noise;
    temper_audit_report report;
};

/* Each step reads the results of those before it, and fills one struct. */
static temper_status run_steps(struct audit_input *in, struct audit_results *r)
{
    TRY(prepare(in, &r->fits));
    TRY(select_loss(in, &r->fits, &r->report));
    TRY(audit_out_of_fold(in, &r->fits, &r->report));
    TRY(audit_embed(in, &r->fits, &r->near));
    TRY(audit_estimate_noise(in, &r->fits, &r->near, &r->noise, &r->report));
    TRY(audit_rank(in, &r->fits, &r->near, &r->noise, &r->report));
    r->report.loss = r->fits.loss;
    r->report.l2 = r->fits.l2;
    r->report.folds = in->options->folds;
    r->report.seconds = train_clock() - in->started;
    return TEMPER_OK;
}

/* Frees all but the report. */
static void free_results(struct audit_input *in, struct audit_results *r)
{
    gathered_labels_free(&in->labels);
    mem_free(in->line);
    mem_free(in->origin);
    scaled_features_free(&r->fits.features);
    split_free(&r->fits.folds);
    mem_free(r->fits.activation);
    mem_free(r->near.neighbour);
    mem_free(r->near.distance);
    mem_free(r->near.rff);
    mem_free(r->noise.evidence);
    mem_free(r->noise.belief);
    noise_em_free(&r->noise.em);
}

/* *report is untouched on failure. */
temper_status audit(const struct dataset *data, const temper_audit_options *options, temper_audit_report *report,
                    temper_error *error)
{
    struct audit_input in = {.given = data, .options = options, .error = error, .started = train_clock()};
    struct audit_results results = {.fits = {.l2 = NAN}};
    temper_status status = run_steps(&in, &results);
    if (status == TEMPER_OK)
        *report = results.report;
    else
        temper_audit_report_free(&results.report);
    free_results(&in, &results);
    return status;
}
