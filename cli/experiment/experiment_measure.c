/* experiment_measure: one cell: tune or train, then test. */
#include <math.h>
#include <string.h>

#include "apply_model.h"
#include "experiment/experiment.h"
#include "message.h"
#include "progress.h"

/* ---- Options --------------------------------------------------------------------------------- */

int run_follow_training(void *context, const temper_train_progress *now)
{
    (void)now;
    run_progress_draw(context);
    return interrupt_noted();
}

static int follow_tuning(void *context, const temper_tune_progress *now)
{
    (void)now;
    run_progress_draw(context);
    return interrupt_noted();
}

temper_train_options cell_training(const struct plan *plan, const struct cell *cell, struct run_progress *progress)
{
    temper_train_options options = temper_train_defaults();
    options.scale = plan_scale(plan, cell->set);
    options.seed = plan_seed(plan, cell->split);
    options.threads = plan->threads;
    options.on_progress = run_follow_training;
    options.progress_context = progress;
    return options;
}

temper_tune_options cell_tuning(const struct plan *plan, const struct cell *cell, struct run_progress *progress)
{
    temper_tune_options options = temper_tune_defaults();
    options.train = cell_training(plan, cell, progress);
    options.train.on_progress = NULL;
    options.folds = plan->folds;
    options.on_progress = follow_tuning;
    options.progress_context = progress;
    return options;
}

/* ---- Training -------------------------------------------------------------------------------- */

static void note_training(const temper_train_report *report, struct record *record)
{
    snprintf(record->stop, sizeof record->stop, "%s", temper_stop_name(report->stop));
    record->t1 = report->loss.method == TEMPER_HINGE ? NAN : report->loss.t1;
    record->t2 = report->loss.method == TEMPER_HINGE ? NAN : report->loss.t2;
    record->l2 = report->l2;
    record->objective = report->objective;
    record->iterations = (double)report->iterations;
    record->passes = report->passes;
    record->seconds_train = report->seconds;
}

/* A start that learns nothing is a result too. */
static temper_status note_failure(const temper_error *error, struct record *record)
{
    if (error->status != TEMPER_BAD_DATA)
        return complain_error(error);
    snprintf(record->stop, sizeof record->stop, "failed");
    return TEMPER_OK;
}

static temper_status train(const struct plan *plan, const struct cell *cell, const struct rows_at_hand *rows,
                           struct run_progress *progress, struct record *record)
{
    char init[64] = "normal:";
    temper_train_options options = cell_training(plan, cell, progress);
    temper_train_report report;
    temper_model *model;
    temper_error error;
    options.loss = cell_loss(cell);
    if (cell->deviation > 0) {
        temper_format_number(cell->deviation, init + strlen(init));
        options.init = init;
    }
    if (temper_train(rows->train, &options, &model, &report, &error) != TEMPER_OK)
        return note_failure(&error, record);
    note_training(&report, record);
    temper_status status = report.stop == TEMPER_STOP_INTERRUPTED
                               ? TEMPER_INTERRUPTED
                               : model_accuracy(model, rows->test, plan->threads, &record->accuracy);
    temper_model_free(model);
    return status;
}

/* ---- Tuning ---------------------------------------------------------------------------------- */

static temper_status tune(const struct plan *plan, const struct cell *cell, const struct rows_at_hand *rows,
                          struct run_progress *progress, struct record *record)
{
    char grid[GRID_LENGTH];
    temper_tune_options options = cell_tuning(plan, cell, progress);
    temper_tune_report report;
    temper_model *model = NULL;
    temper_error error;
    options.grid = plan_grid(plan, cell, grid);
    options.criterion = plan->criterion;
    if (temper_tune(rows->train, &options, &model, &report, &error) != TEMPER_OK)
        return complain_error(&error);
    temper_status status = TEMPER_INTERRUPTED;
    if (!report.interrupted) {
        note_training(&report.training, record);
        record->cv_accuracy = report.table[report.best].accuracy;
        record->seconds_tune = report.seconds;
        snprintf(record->decided, sizeof record->decided, "%s", report.decided_by);
        status = model_accuracy(model, rows->test, plan->threads, &record->accuracy);
    }
    temper_tune_report_free(&report);
    temper_model_free(model);
    return status;
}

temper_status cell_measure(const struct plan *plan, const struct cell *cell, const struct rows_at_hand *rows,
                           struct run_progress *progress, struct record *record)
{
    return plan->experiment->measure == MEASURE_ACCURACY ? tune(plan, cell, rows, progress, record)
                                                         : train(plan, cell, rows, progress, record);
}
