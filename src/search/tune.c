/* tune: the story of a tuning, in named steps. */
#include "search/tune.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "data/memory/memory_limit.h"
#include "search/tune_state.h"
#include "tempered/loss_family.h"
#include "train/train.h"

/* ---- Before the first fit -------------------------------------------------------------------- */

static temper_status check_words(struct tuning *t)
{
    const temper_tune_options *options = t->options;
    if (!criterion_find(options->criterion, &t->criterion))
        return error_set(t->error, TEMPER_USAGE,
                         "there is no criterion '%.64s'; there are cv+c, accuracy, log-loss and "
                         "bounded-loss",
                         options->criterion);
    if (options->assume && strcmp(options->assume, "structured") != 0)
        return error_set(t->error, TEMPER_USAGE, "'%.64s' cannot be assumed; there is only structured",
                         options->assume);
    t->structured = options->assume;
    if (options->folds < 2)
        return error_set(t->error, TEMPER_USAGE, "folds must be 2 or more");
    if (options->resume && !options->checkpoint)
        return error_set(t->error, TEMPER_USAGE, "there is no checkpoint to resume from; pass --checkpoint FILE too");
    return TEMPER_OK;
}

/* By what training would refuse. */
static temper_status check_data(struct tuning *t)
{
    return train_check(t->data, &t->train, t->error);
}

static temper_status prepare_folds(struct tuning *t)
{
    char note[sizeof t->cv.partition[0].note];
    t->cv.ground = &t->ground;
    t->cv.train = &t->train;
    t->cv.folds = t->options->folds;
    t->cv.fold = t->options->fold;
    t->cv.threads = t->train.threads;
    t->cv.table = t->grid.table;
    t->cv.count = t->grid.count;
    temper_status status = crossval_prepare(&t->cv, note, t->error);
    if (status != TEMPER_OK)
        return status;
    if (t->grid.note[0])
        sentence_append(t->report.notes, sizeof t->report.notes, "%s", t->grid.note);
    if (note[0])
        sentence_append(t->report.notes, sizeof t->report.notes, "%s", note);
    return TEMPER_OK;
}

temper_status tuning_prepare(struct tuning *t)
{
    t->train = t->options->train;
    t->train.loss = temper_train_defaults().loss;
    t->train.l2 = NAN;
    t->train.warm_start = NULL;
    t->train.validation = NULL;
    t->train.checkpoint = NULL;
    t->train.resume = 0;
    if (!t->train.threads)
        t->train.threads = thread_count_default();
    temper_status status = check_words(t);
    if (status == TEMPER_OK)
        status = memory_limit_refuse(t->data, "tuning", t->error);
    if (status == TEMPER_OK)
        status = check_data(t);
    if (status == TEMPER_OK)
        status = tuning_budget(t);
    if (status == TEMPER_OK)
        status = scaled_features_new(t->data, t->train.scale, t->train.threads, &t->ground, t->error);
    if (status == TEMPER_OK)
        status = scaled_features_default_l2(&t->ground, &t->default_l2, t->error);
    if (status == TEMPER_OK)
        status = grid_parse(t->options->grid, t->default_l2, &t->grid, t->error);
    if (status == TEMPER_OK)
        status = prepare_folds(t);
    return status == TEMPER_OK ? tuning_trust(t) : status;
}

/* ---- Fitting --------------------------------------------------------------------------------- */

/* Whoever is told to stop, all do. */
static void hear_others(struct tuning *t)
{
    uint64_t stopping = t->stopped;
    if (!comm_alone(t->data->ranks.comm))
        t->heard = comm_count(t->data->ranks.comm, stopping, NULL, &stopping, t->error);
    t->stopped = stopping > 0 || t->heard != TEMPER_OK;
}

bool tuning_goes_on(struct tuning *t, size_t done)
{
    const temper_tune_options *options = t->options;
    size_t all = t->before + done;
    double seconds = train_clock() - t->started;
    temper_tune_progress progress = {t->phase, all, t->planned, seconds,
                                     all > 0 && t->planned >= all ? seconds / (double)all * (double)(t->planned - all)
                                                                  : (double)NAN};
    if (options->on_progress && options->on_progress(options->progress_context, &progress) != 0)
        t->stopped = true;
    hear_others(t);
    return !t->stopped;
}

static bool goes_on(void *context, size_t done)
{
    return tuning_goes_on(context, done);
}

static temper_status ended(void *context, size_t candidate, temper_error *error)
{
    struct tuning *t = context;
    (void)candidate;
    (void)error;
    return tuning_save(t, false);
}

static double best_half_accuracy(const struct tuning *t)
{
    double best = 0;
    for (size_t i = 0; i < t->grid.count; i++)
        best = fmax(best, t->grid.table[i].half_accuracy);
    return best;
}

/* The candidates that a stage is for, and that have not been through it. */
static size_t list_candidates(const struct tuning *t, int stage, size_t *which)
{
    double best = best_half_accuracy(t);
    size_t count = 0;
    for (size_t i = 0; i < t->grid.count; i++) {
        const temper_tune_candidate *candidate = &t->grid.table[i];
        bool hopeless = stage == STAGE_FOLDS && t->drops && is_hopeless(candidate, best, t->cv.rows);
        if (candidate->stage < stage && !hopeless)
            which[count++] = i;
    }
    return count;
}

static temper_status run_stage(struct tuning *t, int stage, size_t *which)
{
    bool finished;
    size_t count = list_candidates(t, stage, which), after = t->wants_model ? t->cv.folds + 1 : 0;
    t->phase = stage == STAGE_HALVES ? "halves" : "folds";
    t->planned = t->cv.done + count * crossval_parts(&t->cv, stage) + after;
    if (stage == STAGE_HALVES && t->cv.folds > 2) /* at most: some will be hopeless */
        t->planned += t->grid.count * t->cv.folds;
    temper_status status = crossval_run(&t->cv, stage, which, count, &finished, t->error);
    if (status == TEMPER_OK)
        status = tuning_save(t, true);
    return status;
}

temper_status tuning_fit(struct tuning *t)
{
    size_t *which = mem_alloc(t->grid.count, sizeof *which);
    if (!which)
        return error_no_memory(t->error);
    t->cv.ended = ended;
    t->cv.goes_on = goes_on;
    t->cv.context = t;
    temper_status status = run_stage(t, STAGE_HALVES, which);
    if (status == TEMPER_OK && !t->stopped && t->cv.folds > 2)
        status = run_stage(t, STAGE_FOLDS, which);
    mem_free(which);
    return status;
}

/* ---- Choosing -------------------------------------------------------------------------------- */

/* Fold by fold, against the most accurate logistic regression. */
static void measure_gain(struct tuning *t)
{
    const temper_tune_candidate *table = t->grid.table;
    size_t folds = t->cv.folds, logistic = NO_CANDIDATE;
    double sum = 0, squares = 0;
    t->report.gain = t->report.gain_error = NAN;
    for (size_t i = 0; i < t->grid.count; i++)
        if (loss_is_two_temperature_at(table[i].loss, 1, 1) && table[i].stage == STAGE_FOLDS &&
            (logistic == NO_CANDIDATE || table[i].accuracy > table[logistic].accuracy))
            logistic = i;
    if (logistic == NO_CANDIDATE || table[t->answer.best].stage != STAGE_FOLDS)
        return;
    const double *best = t->cv.fold_accuracy + t->answer.best * folds;
    const double *other = t->cv.fold_accuracy + logistic * folds;
    for (size_t i = 0; i < folds; i++) {
        sum += best[i] - other[i];
        squares += (best[i] - other[i]) * (best[i] - other[i]);
    }
    double n = (double)folds, variance = (squares - sum * sum / n) / (n - 1);
    t->report.gain = sum / n;
    t->report.gain_error = sqrt(fmax(0, variance) / n);
}

static void warn_choice(struct tuning *t)
{
    const struct answer *answer = &t->answer;
    char *list = t->report.warnings;
    size_t size = sizeof t->report.warnings;
    const char *trust =
        t->options->trusted || t->options->trusted_count ? "" : ", or let trusted labels decide (--ask, --trusted)";
    if (answer->systematic)
        sentence_append(list, size,
                     "labels look systematically wrong: they contradict (0.1, 1.12) most where it "
                     "is surest, so that cross-validation on them cannot be trusted; look at the "
                     "rows with 'temper audit'%s",
                     trust);
    if (!isnan(answer->random_share))
        sentence_append(list, size, "about %.0f %% of the labels look random", 100 * answer->random_share);
    if (answer->collapsed)
        sentence_append(list, size,
                     "the chosen setting hardly predicts some class (%.0f %% of its share); give "
                     "other values to --grid, or pass --class-weight balanced",
                     100 * t->grid.table[answer->best].balance);
}

temper_status tuning_choose(struct tuning *t)
{
    struct question question = {.table = t->grid.table,
                                .count = t->grid.count,
                                .criterion = t->criterion,
                                .structured = t->structured,
                                .classes = t->data->classes.count,
                                .rows = t->cv.rows,
                                .default_l2 = t->default_l2,
                                .trusted = t->cv.trusted.count};
    choose(&question, &t->answer);
    measure_gain(t);
    warn_choice(t);
    return TEMPER_OK;
}

/* ---- The story ------------------------------------------------------------------------------- */

static void fill_report(struct tuning *t)
{
    temper_tune_report *report = &t->report;
    report->table = t->grid.table;
    report->count = t->grid.count;
    t->grid.table = NULL; /* it is the report's now */
    report->best = t->answer.best;
    report->by_accuracy = t->answer.by_accuracy;
    report->decided_by = decision_name(t->answer.decided_by);
    memcpy(report->reason, t->answer.reason, sizeof report->reason);
    report->folds = t->cv.folds;
    report->fold = t->cv.partition[1].part;
    t->cv.partition[1].part = NULL; /* the same */
    report->default_l2 = t->default_l2;
    report->interrupted = t->stopped;
    report->seconds = train_clock() - t->started;
}

static void tuning_free(struct tuning *t)
{
    crossval_free(&t->cv);
    grid_free(&t->grid);
    scaled_features_free(&t->ground);
    dataset_free(t->trusted);
    model_free(t->model);
    mem_free(t->report.ask);
    mem_free(t->report.ask_label);
}

temper_status tune(const struct dataset *data, const temper_tune_options *options, struct model **model,
                   temper_tune_report *report, temper_error *error)
{
    static temper_status (*const steps[])(struct tuning *) = {
        tuning_prepare, tuning_load, tuning_fit, tuning_choose, tuning_ask, tuning_final,
    };
    struct tuning t = {
        .data = data, .options = options, .error = error, .wants_model = model, .started = train_clock()};
    temper_status status = TEMPER_OK;
    for (size_t i = 0; status == TEMPER_OK && !t.stopped && i < sizeof steps / sizeof *steps; i++)
        status = steps[i](&t);
    if (status == TEMPER_OK)
        status = t.heard;
    if (status == TEMPER_OK) {
        fill_report(&t);
        *report = t.report;
        t.report.ask = NULL;
        t.report.ask_label = NULL;
        if (model) {
            *model = t.model;
            t.model = NULL;
        }
    }
    tuning_free(&t);
    return status;
}
