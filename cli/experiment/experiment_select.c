/* experiment_select: what a choice costs: every candidate is trained, and tested on clean rows. */
#include <math.h>
#include <string.h>

#include "apply_model.h"
#include "experiment/experiment.h"
#include "message.h"
#include "progress.h"

/* What is needed to train one more candidate. */
struct trial {
    const struct plan *plan;
    const struct cell *cell;
    const struct rows_at_hand *rows;
    struct run_progress *progress;
};

/* Its accuracy on clean rows; one that learns nothing has 0, and nobody would choose it. */
static temper_status try_candidate(const struct trial *trial, temper_loss_spec loss, double l2, double *accuracy)
{
    temper_train_options options = cell_training(trial->plan, trial->cell, trial->progress);
    temper_train_report report;
    temper_model *model;
    temper_error error;
    options.loss = loss;
    options.l2 = l2;
    *accuracy = 0;
    if (temper_train(trial->rows->train, &options, &model, &report, &error) != TEMPER_OK)
        return error.status == TEMPER_BAD_DATA ? TEMPER_OK : complain_error(&error);
    temper_status status = report.stop == TEMPER_STOP_INTERRUPTED
                               ? TEMPER_INTERRUPTED
                               : model_accuracy(model, trial->rows->test, trial->plan->threads, accuracy);
    temper_model_free(model);
    return status;
}

static bool is_loss(const temper_tune_candidate *candidate, double t1, double t2)
{
    return candidate->loss.method != TEMPER_HINGE && candidate->loss.t1 == t1 && candidate->loss.t2 == t2;
}

/* The penalty that cross-validation chooses for these temperatures; NAN without such a row. */
static double chosen_l2(const temper_tune_report *report, double t1, double t2)
{
    double l2 = NAN, best = -1;
    for (size_t i = 0; i < report->count; i++) {
        const temper_tune_candidate *candidate = &report->table[i];
        if (is_loss(candidate, t1, t2) && candidate->accuracy > best) {
            best = candidate->accuracy;
            l2 = candidate->l2;
        }
    }
    return l2;
}

/* All candidates of the table; the best one, and those that rules choose. */
static temper_status try_all(const struct trial *trial, const temper_tune_report *report, struct record *record)
{
    double logistic_l2 = chosen_l2(report, 1, 1);
    record->best = -1;
    for (size_t i = 0; i < report->count; i++) {
        const temper_tune_candidate *candidate = &report->table[i];
        double accuracy;
        temper_status status = try_candidate(trial, candidate->loss, candidate->l2, &accuracy);
        if (status != TEMPER_OK)
            return status;
        if (accuracy > record->best) {
            record->best = accuracy;
            record->best_t1 = candidate->loss.t1;
            record->best_t2 = candidate->loss.t2;
            record->best_l2 = candidate->l2;
        }
        if (i == report->by_accuracy)
            record->by_accuracy = accuracy;
        if (is_loss(candidate, 1, 1) && candidate->l2 == logistic_l2)
            record->logistic = accuracy;
    }
    return TEMPER_OK;
}

/* Rules that do without a grid of temperatures. */
static temper_status try_fixed(const struct trial *trial, const temper_tune_report *report, struct record *record)
{
    const temper_loss_spec fixed = {.method = TEMPER_TEMPERED, .t1 = 0.4, .t2 = 1.12};
    temper_status status = try_candidate(trial, fixed, report->default_l2, &record->reference);
    if (status == TEMPER_OK)
        status = try_candidate(trial, temper_train_defaults().loss, NAN, &record->standard);
    return status;
}

/* The tuning has two warnings of its own about labels; this is the first. */
static bool warns_of_structure(const temper_tune_report *report)
{
    return strstr(report->warnings, "systematically") != NULL;
}

static temper_status note_choice(const struct trial *trial, const temper_tune_report *report, const temper_model *model,
                                 struct record *record)
{
    const temper_tune_candidate *best = &report->table[report->best];
    snprintf(record->stop, sizeof record->stop, "%s", temper_stop_name(report->training.stop));
    snprintf(record->decided, sizeof record->decided, "%s", report->decided_by);
    record->t1 = best->loss.t1;
    record->t2 = best->loss.t2;
    record->l2 = best->l2;
    record->cv_accuracy = best->accuracy;
    record->seconds_tune = report->seconds;
    record->warned = warns_of_structure(report);
    temper_status status = model_accuracy(model, trial->rows->test, trial->plan->threads, &record->accuracy);
    if (status == TEMPER_OK)
        status = try_all(trial, report, record);
    return status == TEMPER_OK ? try_fixed(trial, report, record) : status;
}

temper_status cell_select(const struct plan *plan, const struct cell *cell, const struct rows_at_hand *rows,
                          struct run_progress *progress, struct record *record)
{
    const struct trial trial = {plan, cell, rows, progress};
    char grid[GRID_LENGTH];
    temper_tune_options options = cell_tuning(plan, cell, progress);
    temper_tune_report report;
    temper_model *model = NULL;
    temper_error error;
    options.grid = plan_grid(plan, cell, grid);
    if (temper_tune(rows->train, &options, &model, &report, &error) != TEMPER_OK)
        return complain_error(&error);
    temper_status status = report.interrupted ? TEMPER_INTERRUPTED : note_choice(&trial, &report, model, record);
    temper_tune_report_free(&report);
    temper_model_free(model);
    return status;
}
