/* experiment_run: measures the cells of a plan that have no result yet: tunes or trains on noisy rows, then tests on
 * clean ones. A result is saved as soon as it is complete, so an interruption loses one measurement at most.
 *
 * A cell is a data set, a split, a kind and rate of noise, and a method. Cells are enumerated in an order in which
 * neighbours share data, split and noise, which are made once and kept. Split, noise and fits have seeds that follow
 * from the seed of the plan and the number of the split, so that a repeated measurement gives the same numbers. Several
 * processes may share a file of results: each skips what another has measured. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apply_model.h"
#include "base/number.h"
#include "experiment/experiment.h"
#include "message.h"
#include "temper_extra.h"

/* The status line of a run. */
struct run_progress {
    struct progress_line line;
    size_t done, all, measured; /* cells; measured: without those that had a result */
    double start;               /* seconds_now() at the beginning */
    char what[160];             /* the cell in words */
};

/* State of the measurements. Data, split and noise are made when a cell needs them and kept for the next one, since
 * consecutive cells mostly differ in the method only. */
struct experiment_run {
    const struct experiment_plan *plan;
    struct result_file *results;
    struct run_progress progress;
    struct loaded_data loaded;
    const struct paper_data *set; /* of `loaded` */
    struct split_rows rows;
    size_t split;      /* of `rows`, if there are any */
    const char *noise; /* of rows.noisy; NULL: not yet made */
    double rate;       /* of the noise */
    bool quiet, noted; /* that a data set has no pool */
};

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Keeps at most plan->rows rows, a sample stratified by class. The sample depends on the seed of the experiment alone:
 * all splits share it, as they would share a smaller data set. */
static temper_status limit_rows(const struct experiment_plan *plan, temper_data **data)
{
    temper_data *kept, *dropped;
    temper_error error;
    double rows = (double)temper_data_rows(*data);
    const temper_split_options options = {.struct_size = sizeof(temper_split_options),
                                          .share = (double)plan->rows / rows,
                                          .seed = plan->seed,
                                          .stratified = 1};
    if (plan->rows == 0 || (double)plan->rows >= rows)
        return TEMPER_OK;
    /* The "test" part of the split is kept: its size is the exact one. */
    TRY(checked(temper_data_split(*data, &options, &dropped, &kept, &error), &error));
    temper_data_free(dropped);
    temper_data_free(*data);
    *data = kept;
    return TEMPER_OK;
}

/* Reading all classes costs time and memory, so only for instance noise. */
static bool wants_pool(const struct experiment_plan *plan)
{
    for (size_t i = 0; i < plan->noise_count; i++)
        if (strcmp(plan->noises[i], "instance") == 0)
            return true;
    return false;
}

/* On failure there is nothing to free if reading failed; the caller frees `loaded` otherwise. */
temper_status plan_load(const struct experiment_plan *plan, const struct paper_data *set, struct loaded_data *loaded)
{
    const struct data_request request = {
        .folder = plan->folder, .classes = plan->classes, .pool = wants_pool(plan), .threads = plan->threads};
    TRY(data_read(set, &request, loaded));
    return limit_rows(plan, &loaded->data);
}

/* Clean training and test rows; not stratified, as in the paper. */
temper_status split_make(const struct experiment_plan *plan, const struct loaded_data *loaded, size_t split,
                         struct split_rows *rows)
{
    temper_error error;
    const temper_split_options options = {.struct_size = sizeof(temper_split_options),
                                          .share = plan->experiment->test_share,
                                          .seed = plan_seed(plan, split)};
    *rows = (struct split_rows){NULL, NULL, NULL, 0};
    return checked(temper_data_split(loaded->data, &options, &rows->train, &rows->test, &error), &error);
}

/* Replaces rows->noisy by the training rows with the noise of the cell; NULL at rate 0. The changed rows go to
 * *changes, to be freed by temper_free, unless that is NULL. Test rows stay clean. Margin noise ranks the rows by a
 * logistic regression. */
temper_status split_add_noise(const struct experiment_plan *plan, const struct experiment_cell *cell,
                              const struct loaded_data *loaded, struct split_rows *rows, temper_noise_change **changes)
{
    const temper_noise_options options = {
        .struct_size = sizeof(temper_noise_options),
        .kind = cell->noise,
        .rate = cell->rate,
        .seed = plan_seed(plan, cell->split),
        .pool = strcmp(cell->noise, "instance") == 0 ? loaded->pool : NULL,
        .rank_l2 = plan->rank_l2,
        .rank_scale = plan->rank_scale ? plan->rank_scale : plan_scale(plan, cell->set),
        .threads = plan->threads,
    };
    temper_noise_change *list = NULL;
    temper_error error;
    temper_data_free(rows->noisy);
    rows->noisy = NULL;
    rows->changed = 0;
    if (cell->rate == 0)
        return TEMPER_OK;
    TRY(checked(temper_data_add_noise(rows->train, &options, &rows->noisy, &list, &rows->changed, &error), &error));
    if (changes)
        *changes = list;
    else
        temper_free(list);
    return TEMPER_OK;
}

void split_rows_free(struct split_rows *rows)
{
    temper_data_free(rows->noisy); /* first: it borrows from the others */
    temper_data_free(rows->train);
    temper_data_free(rows->test);
    *rows = (struct split_rows){NULL, NULL, NULL, 0};
}

/* ---- Progress -------------------------------------------------------------------------------- */

/* "3 of 40: a9a, split 1, random 10 %, logistic; 12 min left". The estimate is from the mean time of the measured
 * cells; cells with a result from an earlier run cost nothing and are not counted. */
static void draw_progress(struct run_progress *progress)
{
    double now = seconds_now(), left = NAN;
    char text[240], time[32] = "";
    if (!progress_is_due(&progress->line, now))
        return;
    if (progress->measured > 0)
        /* Seconds; cells of large data sets take longer than the mean suggests. */
        left = (now - progress->start) / (double)progress->measured * (double)(progress->all - progress->done);
    if (isfinite(left))
        snprintf(time, sizeof time, left < 90 ? "; %.0f s left" : "; %.0f min left", left < 90 ? left : left / 60);
    snprintf(text, sizeof text, "%zu of %zu: %s%s", progress->done, progress->all, progress->what, time);
    progress_draw(&progress->line, "", text, now);
}

/* The callback of training: redraws the line; a result other than 0 stops the fit after a signal. */
static int follow_training(void *context, const temper_train_progress *now)
{
    (void)now;
    draw_progress(context);
    return interrupt_noted();
}

/* The same for tuning. */
static int follow_tuning(void *context, const temper_tune_progress *now)
{
    (void)now;
    draw_progress(context);
    return interrupt_noted();
}

/* Sets the text of the progress line, and draws it at once even if the last drawing is recent. */
static void describe_cell(struct experiment_run *run, const struct experiment_cell *cell)
{
    struct run_progress *progress = &run->progress;
    snprintf(progress->what, sizeof progress->what, "%s, split %zu, %s %g %%, %s", cell->set->name, cell->split + 1,
             cell->noise, 100 * cell->rate, cell->method ? cell->method->label : run->plan->experiment->name);
    /* Makes the next drawing due. */
    progress->line.drawn = -INFINITY;
    draw_progress(progress);
}

/* ---- Training and tuning ------------------------------------------------------------------------ */

/* Options that all fits of a cell share; loss and penalty are set by the caller. */
temper_train_options cell_train_options(const struct experiment_plan *plan, const struct experiment_cell *cell)
{
    temper_train_options options = temper_train_defaults();
    options.scale = plan_scale(plan, cell->set);
    options.seed = plan_seed(plan, cell->split);
    options.threads = plan->threads;
    return options;
}

/* The rows to train on: with the noise of the cell, if it has any. */
static const temper_data *training_rows(const struct experiment_run *run)
{
    return run->rows.noisy ? run->rows.noisy : run->rows.train;
}

/* Accuracy on the clean test rows of the split. */
static temper_status test_model(const struct experiment_run *run, const temper_model *model, double *accuracy)
{
    return model_accuracy(model, run->rows.test, run->plan->threads, accuracy);
}

/* Trains with the progress line, and tests. A fit that learns nothing (TEMPER_BAD_DATA) is a result too: *failed is
 * set, and *accuracy and *report keep their values. */
static temper_status train_and_test(struct experiment_run *run, temper_train_options *options,
                                    temper_train_report *report, double *accuracy, bool *failed)
{
    temper_model *model;
    temper_error error;
    options->calibrate = "none"; /* only labels are used */
    options->on_progress = follow_training;
    options->progress_context = &run->progress;
    *failed = temper_train(training_rows(run), options, &model, report, &error) != TEMPER_OK;
    if (*failed)
        return error.status == TEMPER_BAD_DATA ? TEMPER_OK : fail_with(&error);
    temper_status status =
        report->stop == TEMPER_STOP_INTERRUPTED ? TEMPER_INTERRUPTED : test_model(run, model, accuracy);
    temper_model_free(model);
    return status;
}

/* Copies the report of a fit into the result. The hinge has no temperatures: NAN, which is null in the file. */
static void take_training(const temper_train_report *report, struct cell_result *result)
{
    bool hinge = report->loss.method == TEMPER_HINGE;
    snprintf(result->stop, sizeof result->stop, "%s", temper_stop_name(report->stop));
    result->t1 = hinge ? NAN : report->loss.t1;
    result->t2 = hinge ? NAN : report->loss.t2;
    result->l2 = report->l2;
    result->objective = report->objective;
    result->iterations = (double)report->iterations;
    result->passes = report->passes;
    result->seconds_train = report->seconds;
}

/* One fit with fixed parameters, for times and for random starts. */
static temper_status measure_training(struct experiment_run *run, const struct experiment_cell *cell,
                                      struct cell_result *result)
{
    char init[64] = "normal:";
    temper_train_options options = cell_train_options(run->plan, cell);
    temper_train_report report;
    bool failed;
    options.loss = cell_loss(cell);
    if (cell->deviation > 0) {
        /* Exact and independent of the locale: the text is an option of the library. */
        number_write_f64(cell->deviation, init + strlen(init));
        options.init = init;
    }
    TRY(train_and_test(run, &options, &report, &result->accuracy, &failed));
    if (failed)
        snprintf(result->stop, sizeof result->stop, "failed");
    else
        take_training(&report, result);
    return TEMPER_OK;
}

/* Tunes on the noisy rows over the grid of the cell, and trains the final model; `criterion` NULL: the default. An
 * interrupted tuning has no valid choice, so its outputs are freed. */
static temper_status tune(struct experiment_run *run, const struct experiment_cell *cell, const char *criterion,
                          temper_model **model, temper_tune_report *report)
{
    char grid[GRID_LENGTH];
    temper_tune_options options = temper_tune_defaults();
    temper_error error;
    options.train = cell_train_options(run->plan, cell);
    options.folds = run->plan->folds;
    options.grid = plan_grid(run->plan, cell, grid);
    if (criterion)
        options.criterion = criterion;
    options.on_progress = follow_tuning;
    options.progress_context = &run->progress;
    TRY(checked(temper_tune(training_rows(run), &options, model, report, &error), &error));
    if (!report->interrupted)
        return TEMPER_OK;
    temper_tune_report_free(report);
    temper_model_free(*model);
    return TEMPER_INTERRUPTED;
}

/* The numbers that tuning and selection have in common, and the accuracy of the final model. */
static temper_status take_choice(const struct experiment_run *run, const temper_tune_report *report,
                                 const temper_model *model, struct cell_result *result)
{
    result->cv_accuracy = report->table[report->best].accuracy;
    result->seconds_tune = report->seconds;
    snprintf(result->decided, sizeof result->decided, "%s", report->decided_by);
    return test_model(run, model, &result->accuracy);
}

/* Accuracy of the choice of cross-validation: what the paper's Table 1 and Figure 2 show. */
static temper_status measure_tuning(struct experiment_run *run, const struct experiment_cell *cell,
                                    struct cell_result *result)
{
    temper_tune_report *report = calloc(1, sizeof *report); /* 19 KiB: too much for a small stack */
    temper_model *model = NULL;
    if (!report)
        return fail_no_memory();
    temper_status status = tune(run, cell, run->plan->criterion, &model, report);
    if (status == TEMPER_OK) {
        take_training(&report->training, result);
        status = take_choice(run, report, model, result);
        temper_tune_report_free(report);
        temper_model_free(model);
    }
    free(report);
    return status;
}

/* ---- Selection: every candidate is trained and tested on clean rows --------------------------------- */

/* The accuracy of a candidate on clean rows; 0 if it learns nothing. */
static temper_status try_candidate(struct experiment_run *run, const struct experiment_cell *cell,
                                   temper_loss_spec loss, double l2, double *accuracy)
{
    temper_train_options options = cell_train_options(run->plan, cell);
    temper_train_report report;
    bool failed;
    options.loss = loss;
    options.l2 = l2;
    /* Kept if the fit fails. */
    *accuracy = 0;
    return train_and_test(run, &options, &report, accuracy, &failed);
}

/* (1, 1) is logistic regression. */
static bool has_temperatures(const temper_tune_candidate *candidate, double t1, double t2)
{
    return temper_loss_is_two_temperature(candidate->loss) && candidate->loss.t1 == t1 && candidate->loss.t2 == t2;
}

/* The penalty that cross-validation chooses for logistic regression; NAN if it is not in the table. */
static double logistic_l2(const temper_tune_report *report)
{
    /* Ties go to the first candidate, as in the tuner's table. */
    double l2 = NAN, best = -1;
    for (size_t i = 0; i < report->count; i++) {
        const temper_tune_candidate *candidate = &report->table[i];
        if (has_temperatures(candidate, 1, 1) && candidate->accuracy > best) {
            best = candidate->accuracy;
            l2 = candidate->l2;
        }
    }
    return l2;
}

/* Trains every candidate on all noisy training rows and tests it on clean ones: the best of them is the reference of
 * the regrets. Accuracies of the candidates that other rules would choose are noted in the same pass. */
static temper_status try_all(struct experiment_run *run, const struct experiment_cell *cell,
                             const temper_tune_report *report, struct cell_result *result)
{
    double chosen_l2 = logistic_l2(report), accuracy;
    /* Below every accuracy, so that the first candidate replaces it. */
    result->best = -1;
    for (size_t i = 0; i < report->count; i++) {
        const temper_tune_candidate *candidate = &report->table[i];
        TRY(try_candidate(run, cell, candidate->loss, candidate->l2, &accuracy));
        if (accuracy > result->best) {
            result->best = accuracy;
            result->best_t1 = candidate->loss.t1;
            result->best_t2 = candidate->loss.t2;
            result->best_l2 = candidate->l2;
        }
        if (i == report->by_accuracy)
            result->by_accuracy = accuracy;
        /* Exact comparison: the number was copied from the table. */
        if (has_temperatures(candidate, 1, 1) && candidate->l2 == chosen_l2)
            result->logistic = accuracy;
    }
    return TEMPER_OK;
}

/* Fills the result of one selection: the choice of CV+C, the best candidate, and what simpler rules would have chosen.
 * */
static temper_status take_selection(struct experiment_run *run, const struct experiment_cell *cell,
                                    const temper_tune_report *report, const temper_model *model,
                                    struct cell_result *result)
{
    static const temper_loss_spec fixed = {.method = TEMPER_TEMPERED, .t1 = 0.4, .t2 = 1.12};
    const temper_tune_candidate *best = &report->table[report->best];
    snprintf(result->stop, sizeof result->stop, "%s", temper_stop_name(report->training.stop));
    result->t1 = best->loss.t1;
    result->t2 = best->loss.t2;
    result->l2 = best->l2;
    result->warned = 0;
    for (size_t i = 0; i < report->warnings.count; i++)
        if (report->warnings.list[i].code == TEMPER_WARNING_SYSTEMATIC_LABELS)
            result->warned = 1;
    TRY(take_choice(run, report, model, result));
    TRY(try_all(run, cell, report, result));
    /* Rules that need no grid of temperatures. */
    TRY(try_candidate(run, cell, fixed, report->default_l2, &result->reference));
    return try_candidate(run, cell, temper_train_defaults().loss, NAN, &result->standard);
}

/* Tuning over the whole grid with the default rule, followed by a fit of every candidate: the most expensive
 * measurement. */
static temper_status measure_selection(struct experiment_run *run, const struct experiment_cell *cell,
                                       struct cell_result *result)
{
    temper_tune_report *report = calloc(1, sizeof *report); /* 19 KiB: too much for a small stack */
    temper_model *model = NULL;
    if (!report)
        return fail_no_memory();
    temper_status status = tune(run, cell, NULL, &model, report);
    if (status == TEMPER_OK) {
        status = take_selection(run, cell, report, model, result);
        temper_tune_report_free(report);
        temper_model_free(model);
    }
    free(report);
    return status;
}

/* ---- Running --------------------------------------------------------------------------------- */

/* Noisy rows borrow from the clean ones and these from the data, hence the order. */
static void run_clear(struct experiment_run *run)
{
    split_rows_free(&run->rows);
    loaded_free(&run->loaded);
    run->set = NULL;
    run->noise = NULL;
}

/* Reads the data set of the cell, unless it is in memory. Only one set is in memory at a time. */
static temper_status run_load(struct experiment_run *run, const struct experiment_cell *cell)
{
    if (run->set == cell->set)
        return TEMPER_OK;
    run_clear(run);
    TRY(plan_load(run->plan, cell->set, &run->loaded));
    run->set = cell->set;
    return TEMPER_OK;
}

/* Makes the split and the noise of a cell, unless they are those of the previous cell. `noise` is reset first, so that
 * after a failure nothing stale is taken for valid. */
static temper_status run_prepare(struct experiment_run *run, const struct experiment_cell *cell)
{
    TRY(run_load(run, cell));
    if (!run->rows.train || run->split != cell->split) {
        split_rows_free(&run->rows);
        run->noise = NULL;
        run->split = cell->split;
        TRY(split_make(run->plan, &run->loaded, cell->split, &run->rows));
    }
    if (run->noise && strcmp(run->noise, cell->noise) == 0 && run->rate == cell->rate)
        return TEMPER_OK;
    run->noise = NULL;
    TRY(split_add_noise(run->plan, cell, &run->loaded, &run->rows, NULL));
    run->noise = cell->noise;
    run->rate = cell->rate;
    return TEMPER_OK;
}

/* Instance noise needs rows of other classes. A data set without them is skipped with one note; if instance noise on
 * this set is all that was requested, it is an error. */
static temper_status check_pool(struct experiment_run *run, const struct experiment_cell *cell, bool *possible)
{
    *possible = true;
    if (strcmp(cell->noise, "instance") != 0)
        return TEMPER_OK;
    TRY(run_load(run, cell));
    if (run->loaded.pool)
        return TEMPER_OK;
    *possible = false;
    /* The user asked for exactly this. */
    if (run->plan->sets_named && run->plan->noise_count == 1)
        return fail(TEMPER_NO_INPUT,
                    "%s: instance noise takes rows of other classes, and the files have none; give the whole data set",
                    cell->set->name);
    if (!run->noted && !run->quiet)
        note("%s: the files have no other classes, which instance noise takes its rows from; it is skipped",
             cell->set->name);
    run->noted = true;
    return TEMPER_OK;
}

/* Measures one cell by the method of its experiment and saves the result. */
static temper_status measure(struct experiment_run *run, const struct experiment_cell *cell)
{
    struct cell_result result = result_unknown();
    TRY(run_prepare(run, cell));
    /* Facts about the split, for the headings of tables. */
    result.rows = (double)temper_data_rows(training_rows(run));
    result.test_rows = (double)temper_data_rows(run->rows.test);
    result.features = (double)temper_data_features(training_rows(run));
    result.changed = (double)run->rows.changed;
    /* Only "selection" has no methods. */
    if (!cell->method)
        TRY(measure_selection(run, cell, &result));
    else if (run->plan->experiment->measure == MEASURE_ACCURACY)
        TRY(measure_tuning(run, cell, &result));
    else
        TRY(measure_training(run, cell, &result));
    return results_add(run->results, run->plan, cell, &result);
}

/* Skips cells with a result, also those of earlier runs with the same key and of processes that share the file. */
static temper_status run_cell(struct experiment_run *run, const struct experiment_cell *cell)
{
    bool possible;
    run->progress.done++;
    if (result_of(run->plan, run->results, cell))
        return TEMPER_OK;
    TRY(results_refresh(run->results));
    if (result_of(run->plan, run->results, cell))
        return TEMPER_OK;
    /* Between two cells nothing is lost by stopping. */
    if (interrupt_noted())
        return TEMPER_INTERRUPTED;
    describe_cell(run, cell);
    TRY(check_pool(run, cell, &possible));
    if (possible)
        TRY(measure(run, cell));
    /* Skipped cells would distort the estimate of the time. */
    run->progress.measured += possible;
    return TEMPER_OK;
}

/* The loop over all cells; what was measured stays in the file, also after a failure. */
temper_status plan_run(const struct experiment_plan *plan, struct result_file *results, bool quiet)
{
    struct experiment_run run = {.plan = plan, .results = results, .quiet = quiet};
    struct experiment_cell cell;
    temper_status status = TEMPER_OK;
    progress_begin(&run.progress.line, quiet, false);
    run.progress.all = plan_cells(plan);
    run.progress.start = seconds_now();
    for (size_t i = 0; status == TEMPER_OK && plan_cell(plan, i, &cell); i++)
        status = run_cell(&run, &cell);
    progress_end(&run.progress.line);
    run_clear(&run);
    return status;
}
