/* audit: the story of an audit, in named steps. */
#include "audit/audit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit/audit_state.h"
#include "base/memory.h"
#include "base/thread.h"
#include "data/memory/memory_limit.h"
#include "search/tune.h"
#include "search/tune_state.h"
#include "tempered/loss_family.h"
#include "train/train_state.h"

/* What random, pair and large-margin noise want; the penalty matters less than with few rows. */
static const char temperatures[] = "t1=0.3,0.5 t2=1"; /* (1, 1) and (0.1, 1.12) are added */
static const char penalties[] = "l2=0.1x..1x:2";

/* How far fits go by default: further changes no average precision in its third digit. */
static const double ENOUGH_FOR_TWO = 1e-2, ENOUGH = 1e-3, ENOUGH_TO_CHOOSE = 1e-2;

/* ---- Before the first fit -------------------------------------------------------------------- */

static temper_status check_options(struct audit *audit)
{
    const temper_audit_options *options = audit->options;
    const char *kind = options->kind;
    if (kind && strcmp(kind, "label") != 0 && strcmp(kind, "row") != 0)
        return error_set(audit->error, TEMPER_USAGE, "there is no kind '%.64s' of audit; there are label and row",
                         kind);
    if (options->folds < 2)
        return error_set(audit->error, TEMPER_USAGE, "folds must be 2 or more");
    if (!loss_is_two_temperature(audit->loss))
        return error_set(audit->error, TEMPER_USAGE,
                         "an audit needs probabilities of the two-temperature kind, which loss %s "
                         "has not; give temperatures",
                         method_name(audit->loss.method));
    return TEMPER_OK;
}

static temper_status gather_or_fail(struct audit *audit, const void *mine, size_t size, void *all)
{
    return all ? gather_labels(&audit->roll, mine, size, all, audit->error) : error_no_memory(audit->error);
}

/* Labels and places of the rows of all processes. */
static temper_status call_roll(struct audit *audit)
{
    const struct dataset *given = audit->given;
    temper_status status = gathered_labels_needed(given, &audit->roll, audit->error);
    audit->data = given;
    if (status != TEMPER_OK || comm_alone(given->ranks.comm))
        return status;
    audit->all = gathered_labels_dataset(&audit->roll, given);
    audit->data = &audit->all;
    if (given->line) {
        audit->line = audit->all.line = mem_alloc(audit->roll.rows, sizeof *audit->line);
        status = gather_or_fail(audit, given->line, sizeof *audit->line, audit->line);
    }
    if (status == TEMPER_OK && given->origin) {
        audit->origin = audit->all.origin = mem_alloc(audit->roll.rows, sizeof *audit->origin);
        status = gather_or_fail(audit, given->origin, sizeof *audit->origin, audit->origin);
    }
    return status;
}

/* By what training would refuse. */
static temper_status check_data(struct audit *audit)
{
    struct training_run run = {
        .given = audit->given, .data = audit->given, .options = &audit->train, .error = audit->error};
    temper_status status = training_check(&run);
    audit->loss = run.loss;
    if (status == TEMPER_OK)
        status = call_roll(audit);
    if (status != TEMPER_OK)
        return status;
    if (audit->data->x.rows < 2 * audit->options->folds)
        return error_set(audit->error, TEMPER_BAD_DATA,
                         "%s: %zu rows are too few for %zu folds; give fewer folds, or more rows",
                         audit->data->file.path ? audit->data->file.path : "data", (size_t)audit->data->x.rows,
                         audit->options->folds);
    return TEMPER_OK;
}

static temper_status prepare(struct audit *audit)
{
    audit->train = audit->options->train;
    audit->train.warm_start = NULL;
    audit->train.validation = NULL;
    audit->train.checkpoint = NULL;
    audit->train.resume = 0;
    audit->choosing = audit->train.tolerance;
    if (isnan(audit->train.tolerance)) {
        audit->choosing = ENOUGH_TO_CHOOSE;
        audit->train.tolerance = audit->given->classes.count == 2 ? ENOUGH_FOR_TWO : ENOUGH;
    }
    if (!audit->train.threads)
        audit->train.threads = thread_count_default();
    audit->threads = audit->train.threads;
    temper_status status = memory_limit_refuse(audit->given, "an audit", audit->error);
    if (status == TEMPER_OK)
        status = check_data(audit);
    if (status == TEMPER_OK)
        status = check_options(audit);
    if (status != TEMPER_OK)
        return status;
    audit->rows = (size_t)audit->data->x.rows;
    audit->classes = audit->data->classes.count;
    audit->neighbours = audit->rows > AUDIT_NEIGHBOURS ? AUDIT_NEIGHBOURS : audit->rows - 1;
    audit->l2 = audit->train.l2;
    return TEMPER_OK;
}

/* ---- Temperatures and penalty ---------------------------------------------------------------- */

/* Among candidates whose accuracies cannot be told apart, a list of suspects is best made by the
 * one with the best probabilities; not where CV+C has overruled accuracy, whose mistakes they
 * share. */
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

/* The halves alone choose: what they cannot tell apart, an audit need not. */
temper_status audit_choose(struct audit *audit)
{
    const temper_audit_options *options = audit->options;
    char grid[128];
    if (!options->choose)
        return TEMPER_OK;
    temper_tune_options tuning = {.folds = 2,
                                  .train = audit->train,
                                  .on_progress = options->on_progress,
                                  .progress_context = options->progress_context};
    temper_tune_report report;
    tuning.train.tolerance = audit->choosing;
    if (isnan(audit->l2))
        snprintf(grid, sizeof grid, "%s %s", temperatures, penalties);
    else
        snprintf(grid, sizeof grid, "%s l2=%.17g", temperatures, audit->l2);
    tuning.grid = options->grid ? options->grid : grid;
    temper_status status = tune(audit->given, &tuning, NULL, &report, audit->error);
    if (status != TEMPER_OK)
        return status;
    bool interrupted = report.interrupted;
    if (!interrupted) {
        size_t best = best_candidate(&report);
        audit->loss = report.table[best].loss;
        audit->l2 = report.table[best].l2;
        memcpy(audit->report.warnings, report.warnings, sizeof audit->report.warnings - 1);
        sentence_add(audit->report.notes, sizeof audit->report.notes, "temperatures: t1 = %g, t2 = %g, l2 = %.4g: %s",
                     audit->loss.t1, audit->loss.t2, audit->l2,
                     best == report.best ? report.reason : "its probabilities are the best among the most accurate");
    }
    temper_tune_report_free(&report);
    return interrupted ? error_set(audit->error, TEMPER_INTERRUPTED, "interrupted") : TEMPER_OK;
}

/* ---- The story ------------------------------------------------------------------------------- */

static void audit_free(struct audit *audit)
{
    scaled_features_free(&audit->ground);
    gathered_labels_free(&audit->roll);
    mem_free(audit->line);
    mem_free(audit->origin);
    split_free(&audit->folds);
    mem_free(audit->activation);
    mem_free(audit->belief);
    mem_free(audit->evidence);
    mem_free(audit->neighbour);
    mem_free(audit->distance);
    mem_free(audit->curve);
    noise_em_free(&audit->model);
}

temper_status audit(const struct dataset *data, const temper_audit_options *options, temper_audit_report *report,
                    temper_error *error)
{
    static temper_status (*const steps[])(struct audit *) = {
        prepare, audit_choose, audit_fit, audit_neighbours, audit_evidence, audit_list,
    };
    struct audit audit = {.given = data, .options = options, .error = error, .started = training_clock()};
    temper_status status = TEMPER_OK;
    for (size_t i = 0; status == TEMPER_OK && i < sizeof steps / sizeof *steps; i++)
        status = steps[i](&audit);
    if (status == TEMPER_OK) {
        audit.report.loss = audit.loss;
        audit.report.l2 = audit.l2;
        audit.report.folds = options->folds;
        audit.report.seconds = training_clock() - audit.started;
        *report = audit.report;
    } else {
        mem_free(audit.report.suspects);
        mem_free(audit.report.transition);
    }
    audit_free(&audit);
    return status;
}
