/* tune: selects temperatures and penalty by cross-validation, and fits the final model. */
#include "search/tune.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/thread.h"
#include "data/memory/memory_limit.h"
#include "search/corrected_accuracy.h"
#include "search/out_of_fold/calibrate.h"
#include "search/penalty_path.h"
#include "search/tune_state.h"
#include "tempered/loss_family.h"
#include "train/train.h"

/* The tolerance of the search is this multiple of that of the final fit, up to a limit: the class that a model predicts
 * for held-out rows is settled long before its weights are. */
static const double SEARCH_TOLERANCE = 10, MOST_TOLERANCE = 1e-2;
/* Standard errors by which the accuracy of converged fits may be below that of the search. */
static const double CONFIRMED_WITHIN = 0.5;

/* ---- Before the first fit -------------------------------------------------------------------- */

/* Parses and checks the options of the search. Pruning compares accuracies on the halves; so it is off where the
 * folds may select a candidate of lower accuracy: by another measure, or by trusted rows. Steps 1 to 3 of CV+C use
 * measures of the halves, which pruned candidates have too. */
static temper_status check_options(struct tune_request *request)
{
    const temper_tune_options *options = request->options;
    if (!criterion_find(options->criterion, &request->criterion))
        return error_set(request->error, TEMPER_USAGE,
                         "unknown criterion '%.64s'; give cv+c, accuracy, log-loss or bounded-loss",
                         options->criterion);
    if (options->assume && strcmp(options->assume, "structured") != 0)
        return error_set(request->error, TEMPER_USAGE, "'%.64s' cannot be assumed; only structured can",
                         options->assume);
    request->structured = options->assume;
    if (options->folds < 2)
        return error_set(request->error, TEMPER_USAGE, "folds must be 2 or more");
    if (options->resume && !options->checkpoint)
        return error_set(request->error, TEMPER_USAGE,
                         "there is no checkpoint to resume from; pass --checkpoint FILE too");
    request->prunes = request->criterion != BY_LOG_LOSS && request->criterion != BY_BOUNDED_LOSS && !options->trusted &&
                      !options->trusted_count;
    return TEMPER_OK;
}

/* The number of candidates of the grid, which does not depend on the unit of the penalties. */
static temper_status count_candidates(const struct tune_request *request, double *count)
{
    struct candidate_grid grid;
    TRY(grid_parse(request->options->grid, 1, dataset_all_rows(request->data), &grid, request->error));
    *count = (double)grid.count;
    grid_free(&grid);
    return TEMPER_OK;
}

/* Fails with TEMPER_NO_MEMORY if the estimate for the search exceeds the memory limit of the data: before the first
 * fit, instead of after an hour. Needed at the same time are the arrays per row, and the largest of a batch of fits
 * with its results, the final fit, and the fits of which the mean is taken with their weights. */
static temper_status check_memory(const struct tune_request *request)
{
    enum {
        FOLDS_BYTES = 48, /* per row: parts, their order while they are drawn, weights, ranks */
        ASK_BYTES = 32,   /* per row: predictions of the candidates that are compared */
    };
    const struct dataset *data = request->data;
    const temper_tune_options *options = request->options;
    temper_train_options train = request->train;
    double rows = (double)data->x.rows, vectors = (double)weight_vectors(data->classes.count), block, candidates;
    if (data->storage.memory_limit == 0)
        return TEMPER_OK;
    TRY(count_candidates(request, &candidates));
    size_t most = crossval_most_fits(data);
    double fits = fits_bytes(data, &train, most, train.threads, &block);
    /* A grid with such a loss also has fits that cannot be batched, which take another amount of memory. */
    for (size_t i = 0; options->grid && i < TEMPER_METHODS; i++) {
        train.loss.method = (temper_method)i;
        if (!loss_is_one_run(train.loss) && strstr(options->grid, method_name(train.loss.method)))
            fits = fmax(fits, fits_bytes(data, &train, most, train.threads, &block));
    }
    train.l1 = options->grid && strstr(options->grid, "l1=") ? 1 : 0;
    if (train.l1 > 0)
        fits = fmax(fits, fits_bytes(data, &train, most, train.threads, &block));
    /* Predictions and confidences of the candidates in progress. */
    double trials = rows * (double)crossval_trial_bytes(data);
    double outcomes = outcome_table_bytes((size_t)candidates, (size_t)dataset_all_rows(data));
    /* The final fit: predictions of all folds (two bytes per row) and the scores of all rows. */
    double last = one_fit_bytes(data, train.threads, &block) +
                  rows * (2 * (double)options->folds + (double)sizeof(double) * vectors);
    /* At most all candidates are as accurate as the choice. */
    double weights = options->average && request->wants_model
                         ? candidates * vectors * ((double)data->x.columns + 1) * (double)sizeof(double)
                         : 0;
    /* Arrays per row exist throughout; the batches, the final fit and the fits of the mean follow each other, so that
     * the largest one counts. */
    struct memory_limit_plan plan = {.what = "the search",
                                     .needed = rows * (FOLDS_BYTES + (options->ask ? ASK_BYTES : 0)) + outcomes +
                                               fmax(fits + fmax(trials, weights), last),
                                     .threads = train.threads,
                                     .block = block};
    return memory_limit_plan(data, &plan, request->error);
}

/* Completes the options by defaults, and refuses what training would refuse. Options of a single training that have
 * no meaning in a search (warm start, validation, checkpoint of a fit) are cleared. */
static temper_status check_request(struct tune_request *request)
{
    temper_train_options *train = &request->train;
    *train = request->options->train;
    /* Loss and penalty are those of the candidates; the values here only have to pass the checks of training. */
    train->loss = temper_train_defaults().loss;
    train->l2 = NAN;
    train->l1 = 0;
    train->warm_start = NULL;
    train->validation = NULL;
    train->checkpoint = NULL;
    train->resume = 0;
    if (!train->threads)
        train->threads = thread_count_default();
    request->search = *train;
    request->search.tolerance = fmax(train->tolerance, fmin(SEARCH_TOLERANCE * train->tolerance, MOST_TOLERANCE));
    TRY(check_options(request));
    TRY(calibrate_check(train, request->error));
    TRY(memory_limit_refuse(request->data, "tuning", request->error));
    TRY(train_check(request->data, train, request->error));
    return check_memory(request);
}

/* Takes over the candidates of the grid, also on failure, so that free_state can free them. */
static temper_status table_new(struct candidate_grid grid, size_t folds, size_t rows, struct crossval_table *out,
                               temper_error *error)
{
    *out = (struct crossval_table){.candidate = grid.table, .count = grid.count};
    TRY(outcome_table_new(grid.count, rows, &out->outcomes, error));
    out->fold_accuracy = mem_alloc(grid.count, folds * sizeof *out->fold_accuracy);
    out->measured_again = mem_zeroed(grid.count, sizeof *out->measured_again);
    if (!out->fold_accuracy || !out->measured_again)
        return error_no_memory(error);
    for (size_t i = 0; i < grid.count * folds; i++)
        out->fold_accuracy[i] = NAN;
    return TEMPER_OK;
}

/* What the final fit, or the estimate of the noise after it, would refuse is refused before the first fit, whichever
 * candidate is selected later. The estimate is an audit with the selected loss, which must have two temperatures. */
static temper_status check_final_losses(const struct tune_request *request, const struct candidate_grid *grid)
{
    const temper_train_options *train = &request->train;
    for (size_t i = 0; request->wants_model && i < grid->count; i++) {
        temper_loss_spec loss = grid->table[i].loss;
        if (train->estimate_noise && !loss_is_two_temperature(loss))
            return error_set(request->error, TEMPER_USAGE,
                             "the noise of the labels is estimated with a two-temperature loss, which loss %s in the "
                             "grid is not; leave it out, or train without the estimate",
                             method_name(loss.method));
        if (train->starts > 1 && loss_has_rounds(loss))
            return error_set(request->error, TEMPER_USAGE,
                             "loss %s in the grid repeats its training with other row weights, which does not go "
                             "together with several starts; leave it out, or drop --starts",
                             method_name(loss.method));
    }
    return TEMPER_OK;
}

/* Scales the features, parses the grid in units of the default penalty, draws halves and folds, and checks the
 * trusted rows. What was made before a failure is freed by free_state. */
static temper_status prepare(const struct tune_request *request, struct tune_setup *setup, struct crossval_table *table,
                             temper_tune_report *report)
{
    const temper_train_options *train = &request->search;
    const temper_tune_options *options = request->options;
    struct candidate_grid grid;
    TRY(scaled_features_new(request->data, train->scale, train->threads, &setup->features, request->error));
    TRY(scaled_features_default_l2(&setup->features, &setup->default_l2, request->error));
    uint64_t rows = dataset_all_rows(request->data);
    TRY(grid_parse(options->grid, setup->default_l2, rows, &grid, request->error));
    TRY(table_new(grid, options->folds, (size_t)rows, table, request->error));
    TRY(check_final_losses(request, &grid));
    setup->cv = (struct crossval){
        .features = &setup->features, .train = &request->search, .folds = options->folds, .given_fold = options->fold};
    TRY(crossval_prepare(&setup->cv, request->error));
    /* Notes for the user: temperatures that cannot be trained, and classes with fewer rows than folds. */
    if (grid.note[0])
        sentence_append(report->notes, sizeof report->notes, "%s", grid.note);
    if (setup->cv.partition[1].note[0])
        sentence_append(report->notes, sizeof report->notes, "%s", setup->cv.partition[1].note);
    return tune_trusted_rows(request, setup);
}

/* ---- Fitting --------------------------------------------------------------------------------- */

/* Reports `done` fits of this phase, with the remaining time extrapolated from the mean time of all fits so far.
 * With several processes, a request to stop by any of them stops all after the same call; so must a failed exchange. */
bool tune_report_progress(struct tune_state *t, size_t done)
{
    const temper_tune_options *options = t->request.options;
    struct tune_progress *progress = &t->progress;
    const temper_comm *comm = t->request.data->ranks.comm;
    size_t all = progress->fits_before + done, planned = progress->fits_planned;
    double seconds = train_clock() - progress->started;
    double left = all > 0 && planned >= all ? seconds / (double)all * (double)(planned - all) : (double)NAN;
    temper_tune_progress shown = {progress->phase, all, planned, seconds, left};
    if (options->on_progress && options->on_progress(options->progress_context, &shown) != 0)
        progress->stopped = true;
    /* One collective count per call; its result is the same on all processes. */
    uint64_t stopping = progress->stopped;
    if (!comm_alone(comm))
        progress->comm_status = comm_count(comm, stopping, NULL, &stopping, t->request.error);
    progress->stopped = stopping > 0 || progress->comm_status != TEMPER_OK;
    return !progress->stopped;
}

/* crossval_calls.keep_going. */
static bool keep_going(void *context, size_t done)
{
    return tune_report_progress(context, done);
}

/* crossval_calls.candidate_done: saves a checkpoint if the last one is old enough. */
static temper_status candidate_done(void *context, size_t candidate, temper_error *error)
{
    (void)candidate;
    return tune_checkpoint_save(context, false, error);
}

/* The candidate of highest accuracy on the halves; of equal ones the first. All have been through them. */
static size_t best_on_halves(const struct crossval_table *table)
{
    size_t best = 0;
    for (size_t i = 1; i < table->count; i++)
        if (table->candidate[i].half_accuracy > table->candidate[best].half_accuracy)
            best = i;
    return best;
}

/* Whether a candidate is not taken to the folds, by the comparison with the best one on the same rows. */
static bool is_pruned(const struct tune_state *t, size_t best, size_t candidate)
{
    struct paired_difference behind =
        outcome_difference(&t->table.outcomes, OUTCOMES_HALVES, best, candidate, t->setup.cv.weight);
    return cannot_win(behind.mean, behind.error);
}

/* Leaves out the segments of which all candidates have been through the stage, as after a checkpoint. A segment that
 * has some to do is fitted again: the start of each fit is the end of the one before. */
static void skip_done(const struct crossval_table *table, struct crossval_stage *stage, size_t *which, size_t *segment)
{
    size_t kept = 0;
    for (size_t i = 0, end; i < stage->count; i = end) {
        size_t first = kept;
        bool todo = false;
        for (end = i; end < stage->count && segment[end] == i; end++)
            todo = todo || table->candidate[which[end]].stage < stage->stage;
        for (size_t k = i; todo && k < end; k++, kept++) {
            which[kept] = which[k];
            segment[kept] = first;
        }
    }
    stage->count = kept;
}

/* Fills which[] and segment[] with the candidates to be taken to a stage: without those pruned before the folds, and
 * without those that a checkpoint has already. */
static struct crossval_stage plan_stage(const struct tune_state *t, int number, size_t *which, size_t *segment)
{
    const struct crossval_table *table = &t->table;
    const struct crossval *cv = &t->setup.cv;
    struct crossval_stage stage = {number, which, segment, 0};
    bool prunes = number == STAGE_FOLDS && t->request.prunes;
    size_t best = prunes ? best_on_halves(table) : 0;
    for (size_t i = 0; i < table->count; i++)
        if (!(prunes && is_pruned(t, best, i)))
            which[stage.count++] = i;
    penalty_segments(table->candidate, which, stage.count, crossval_parts(cv, number), INDEPENDENT_FITS, segment);
    skip_done(table, &stage, which, segment);
    return stage;
}

/* Takes all candidates through one stage, and saves the table at its end, also if it was stopped. The planned fits
 * are for the estimate of the remaining time and include the final ones. */
static temper_status run_stage(struct tune_state *t, int number, size_t *which, size_t *segment)
{
    const struct crossval *cv = &t->setup.cv;
    struct tune_progress *progress = &t->progress;
    struct crossval_calls calls = {candidate_done, keep_going, t};
    struct crossval_stage stage = plan_stage(t, number, which, segment);
    bool finished;
    progress->phase = number == STAGE_HALVES ? "halves" : "folds";
    progress->fits_planned =
        t->table.fits_done + stage.count * crossval_parts(cv, number) + (t->request.wants_model ? cv->folds + 1 : 0);
    /* The plan of the halves includes the folds of all candidates: how many will be pruned is not known yet. */
    if (number == STAGE_HALVES && cv->folds > 2) /* an upper bound: some will be pruned */
        progress->fits_planned += t->table.count * cv->folds;
    TRY(crossval_run(cv, &t->table, &stage, &calls, &finished, t->request.error));
    return tune_checkpoint_save(t, true, t->request.error);
}

/* Two stages: all candidates on the halves, then those that are not pruned on the folds. With two folds the halves
 * are the folds, and there is no second stage. */
static temper_status fit_candidates(struct tune_state *t)
{
    size_t *which = mem_alloc(t->table.count, sizeof *which), *segment = mem_alloc(t->table.count, sizeof *segment);
    temper_status status =
        which && segment ? run_stage(t, STAGE_HALVES, which, segment) : error_no_memory(t->request.error);
    if (status == TEMPER_OK && !t->progress.stopped && t->setup.cv.folds > 2)
        status = run_stage(t, STAGE_FOLDS, which, segment);
    mem_free(which);
    mem_free(segment);
    return status;
}

/* ---- Selection ------------------------------------------------------------------------------- */

/* The gain in accuracy over the most accurate logistic regression (t1 = t2 = 1) as the mean of differences within
 * each fold, with its standard error. Pairing by fold removes the variation between folds, which both share. NAN if
 * either was not fitted on the folds. */
static void measure_gain(const struct crossval_table *table, size_t best, size_t folds, temper_tune_report *report)
{
    const temper_tune_candidate *candidate = table->candidate;
    size_t logistic = NO_CANDIDATE;
    double sum = 0, squares = 0, n = (double)folds;
    report->gain = report->gain_error = NAN;
    for (size_t i = 0; i < table->count; i++)
        if (loss_is_two_temperature_at(candidate[i].loss, 1, 1) && candidate[i].stage == STAGE_FOLDS &&
            (logistic == NO_CANDIDATE || candidate[i].accuracy > candidate[logistic].accuracy))
            logistic = i;
    if (logistic == NO_CANDIDATE || candidate[best].stage != STAGE_FOLDS)
        return;
    /* Both candidates were measured on the same folds. */
    const double *a = table->fold_accuracy + best * folds, *b = table->fold_accuracy + logistic * folds;
    for (size_t i = 0; i < folds; i++) {
        sum += a[i] - b[i];
        squares += (a[i] - b[i]) * (a[i] - b[i]);
    }
    /* The unbiased variance of the differences; rounding may make it slightly negative. */
    double variance = (squares - sum * sum / n) / (n - 1);
    report->gain = sum / n;
    report->gain_error = sqrt(fmax(0, variance) / n);
}

/* Appends warnings about the labels, as far as the selection rule suggests them, each with a remedy. */
static void warn_selection(const struct tune_request *request, const struct selection *selection, double balance,
                           temper_tune_report *report)
{
    temper_warnings *list = &report->warnings;
    /* With trusted rows, the advice to use some would be pointless. */
    bool has_trusted = request->options->trusted || request->options->trusted_count;
    if (selection->systematic)
        warning_append(list, TEMPER_WARNING_SYSTEMATIC_LABELS,
                       "labels look systematically wrong: they contradict (0.1, 1.12) most where it is most "
                       "confident, so that cross-validation on them cannot be trusted; look at the rows with 'temper "
                       "audit'%s",
                       has_trusted ? "" : ", or let trusted labels decide (--ask, --trusted)");
    if (!isnan(selection->random_share))
        warning_append(list, TEMPER_WARNING_RANDOM_LABELS,
                       "about %.0f %% of the labels look random; look at the rows with 'temper audit'",
                       100 * selection->random_share);
    if (selection->collapsed)
        warning_append(list, TEMPER_WARNING_RARE_CLASS,
                       "the chosen setting hardly predicts some class (%.0f %% of its share); give "
                       "other values to --grid, or pass --class-weight balanced",
                       100 * balance);
}

/* Sets the accuracy to expect. The most accurate candidate owes its rank partly to luck, which the bootstrap
 * subtracts; a candidate that another criterion has preferred to it does not. */
static temper_status expect_accuracy(const struct tune_request *request, const struct tune_setup *setup,
                                     const struct crossval_table *table, const struct selection *selection,
                                     temper_tune_report *report)
{
    struct corrected_input input = {.outcomes = &table->outcomes,
                                    .candidate = table->candidate,
                                    .weight = setup->cv.weight,
                                    .rows = setup->cv.rows,
                                    .seed = request->train.seed,
                                    .threads = setup->cv.train->threads};
    struct corrected_accuracy expected = plain_accuracy(&input, selection->best);
    if (selection->best == selection->by_accuracy && table->candidate[selection->best].stage == STAGE_FOLDS)
        TRY(correct_accuracy(&input, selection->best, &expected, request->error));
    report->expected_accuracy = expected.accuracy;
    report->expected_error = expected.error;
    report->expected_low = expected.low;
    report->expected_high = expected.high;
    return TEMPER_OK;
}

/* Applies the selection rule to the table as it is. */
static void apply_rule(struct tune_state *t)
{
    const struct crossval *cv = &t->setup.cv;
    struct selection_input input = {.table = t->table.candidate,
                                    .count = t->table.count,
                                    .criterion = t->request.criterion,
                                    .structured = t->request.structured,
                                    .classes = t->request.data->classes.count,
                                    .rows = cv->rows,
                                    .default_l2 = t->setup.default_l2,
                                    .trusted = cv->trusted.count};
    select_candidate(&input, &t->selection);
}

/* Measures one candidate again on the folds, with the tolerance and the test for convergence of the final fit. */
static temper_status confirm_candidate(struct tune_state *t, size_t candidate, bool *confirmed)
{
    struct crossval cv = t->setup.cv; /* borrows its arrays */
    cv.train = &t->request.train;
    cv.converges = true;
    size_t first = 0;
    struct crossval_stage stage = {cv.folds == 2 ? STAGE_HALVES : STAGE_FOLDS, &candidate, &first, 1};
    struct crossval_calls calls = {NULL, keep_going, t};
    bool finished;
    t->progress.phase = "confirm";
    t->progress.fits_planned = t->table.fits_done + cv.folds + (t->request.wants_model ? cv.folds + 1 : 0);
    const temper_tune_candidate before = t->table.candidate[candidate];
    temper_tune_candidate *after = &t->table.candidate[candidate];
    TRY(crossval_run(&cv, &t->table, &stage, &calls, &finished, t->request.error));
    *confirmed = finished && after->accuracy >= before.accuracy - CONFIRMED_WITHIN * before.accuracy_error;
    /* A table of measures that are compared has the same kind of fits for all: the accuracy of the search stays where
     * it was confirmed, and the outcomes by row, which give the accuracy to expect, are those of the new fits. */
    if (*confirmed && before.stage == STAGE_FOLDS)
        *after = before;
    return TEMPER_OK;
}

/* Selects a candidate. The fits of the search stop early, and with a small penalty a fit that has not yet learnt the
 * wrong labels predicts better than one that has converged, as the saved model has. So the selected candidate is
 * measured again by fits that converge; if these are worse, the rule is applied again with their measures. The
 * checkpoint has the table of the search alone, so that a resumed run makes the same steps. */
static temper_status select_confirmed(struct tune_state *t)
{
    bool confirmed = false;
    apply_rule(t);
    while (!confirmed && !t->progress.stopped && !t->table.measured_again[t->selection.best]) {
        size_t candidate = t->selection.best;
        TRY(confirm_candidate(t, candidate, &confirmed));
        t->table.measured_again[candidate] = true;
        if (!confirmed)
            apply_rule(t);
    }
    return TEMPER_OK;
}

/* Adds gain, expected accuracy and warnings of the selected candidate to the report. */
static temper_status describe_selection(const struct tune_request *request, const struct tune_setup *setup,
                                        const struct crossval_table *table, const struct selection *selection,
                                        temper_tune_report *report)
{
    measure_gain(table, selection->best, setup->cv.folds, report);
    warn_selection(request, selection, table->candidate[selection->best].balance, report);
    return expect_accuracy(request, setup, table, selection, report);
}

/* ---- The tuning ------------------------------------------------------------------------------ */

/* A search that was stopped keeps its table for the report and the checkpoint, but selects nothing: a selection from
 * some of the candidates would look like a result. */
static temper_status run_steps(struct tune_state *t)
{
    const struct tune_progress *progress = &t->progress;
    TRY(check_request(&t->request));
    TRY(prepare(&t->request, &t->setup, &t->table, &t->report));
    TRY(tune_checkpoint_load(t));
    TRY(fit_candidates(t));
    if (!progress->stopped)
        TRY(select_confirmed(t));
    if (!progress->stopped)
        TRY(describe_selection(&t->request, &t->setup, &t->table, &t->selection, &t->report));
    if (!progress->stopped && t->request.options->ask)
        TRY(tune_ask_labels(t));
    if (!progress->stopped && t->request.wants_model)
        TRY(tune_final_fit(t));
    if (!progress->stopped && t->model && t->request.options->average)
        TRY(tune_average(t));
    /* Last, since the warnings of the final fit are reasons too. */
    if (!progress->stopped)
        tune_suggest_ask(t);
    /* An exchange that failed has stopped the search like a request of the caller; here it becomes an error. */
    return progress->comm_status;
}

/* Moves the arrays of the state into the report; their pointers are cleared, so that free_state does not free them. */
static void take_report(struct tune_state *t, temper_tune_report *report)
{
    *report = t->report;
    report->table = t->table.candidate;
    report->count = t->table.count;
    report->best = t->selection.best;
    report->by_accuracy = t->selection.by_accuracy;
    report->decided_by = decision_name(t->selection.decided_by);
    memcpy(report->reason, t->selection.reason, sizeof report->reason);
    report->folds = t->setup.cv.folds;
    report->fold = t->setup.cv.partition[1].part;
    report->default_l2 = t->setup.default_l2;
    report->interrupted = t->progress.stopped;
    report->seconds = train_clock() - t->progress.started;
    /* Now owned by the report, and freed by temper_tune_report_free. */
    t->table.candidate = NULL;
    t->setup.cv.partition[1].part = NULL;
    t->report.ask = NULL;
    t->report.ask_label = NULL;
}

/* Frees everything that take_report has not moved, after success and after failure at any step. */
static void free_state(struct tune_state *t)
{
    crossval_free(&t->setup.cv);
    scaled_features_free(&t->setup.features);
    dataset_free(t->setup.trusted);
    mem_free(t->table.candidate);
    mem_free(t->table.fold_accuracy);
    mem_free(t->table.measured_again);
    outcome_table_free(&t->table.outcomes);
    model_free(t->model);
    mem_free(t->report.ask);
    mem_free(t->report.ask_label);
}

/* The entry point. Outputs are untouched on failure. An interrupted search succeeds, with a report that has
 * `interrupted` set and without a model. */
temper_status tune(const struct dataset *data, const temper_tune_options *options, struct model **model,
                   temper_tune_report *report, temper_error *error)
{
    /* Not on the stack, of which some threads have 128 KiB: the lists of warnings alone take tens of them. */
    struct tune_state *t = mem_zeroed(1, sizeof *t);
    if (!t)
        return error_no_memory(error);
    t->request = (struct tune_request){.data = data, .options = options, .error = error, .wants_model = model};
    t->progress.started = train_clock();
    temper_status status = run_steps(t);
    if (status == TEMPER_OK) {
        take_report(t, report);
        if (model) {
            *model = t->model;
            t->model = NULL;
        }
    }
    free_state(t);
    mem_free(t);
    return status;
}
