/* holdout: decides whether an estimate is fast enough, divides the rows, and counts right predictions.
 *
 * Rows are divided at random, each class in the same shares. Rows of equal features stay together, since a row whose
 * copy was fitted to is not new. Folds that the caller has given stand as they are. The fits start as the training
 * does: from the weights of the model, which has seen all rows, the losses that are not convex could end near it. */
#include "search/out_of_fold/holdout.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/statistics.h"
#include "base/thread.h"
#include "data/duplicate_rows.h"
#include "data/split.h"
#include "tempered/row_scores.h"
#include "train/train.h"

enum {
    FOLDS = 5,
    LEAST_ROWS = 20, /* with fewer, the interval is too wide to say anything */
    CV_ROWS = 2500   /* auto: with more, a fifth of the rows is enough */
};

/* Stored values times weight vectors up to which auto makes fits of its own: some seconds, about as long as the
 * training itself. */
static const double FAST_VALUES = 4e7;

enum holdout_kind { HOLDOUT_NONE, HOLDOUT_AUTO, HOLDOUT_CV, HOLDOUT_SHARE };

/* ---- Options --------------------------------------------------------------------------------- */

/* False if the text is neither a word nor a share between 0 and 1. */
static bool find_kind(const char *text, enum holdout_kind *kind, double *share)
{
    static const char *const words[] = {"none", "auto", "cv"};
    *kind = HOLDOUT_NONE;
    for (int i = 0; text && i <= HOLDOUT_CV; i++)
        if (strcmp(text, words[i]) == 0) {
            *kind = (enum holdout_kind)i;
            return true;
        }
    if (!text)
        return true;
    *kind = HOLDOUT_SHARE;
    return number_f64(text, text + strlen(text), share) == NUMBER_OK && *share > 0 && *share < 1;
}

/* Whether the rows are audited before the training. */
static bool is_cleaned(const temper_train_options *options)
{
    return options->clean && strcmp(options->clean, "none") != 0;
}

temper_status holdout_check(const temper_train_options *options, temper_error *error)
{
    enum holdout_kind kind;
    double share;
    if (!find_kind(options->holdout, &kind, &share))
        return error_set(error, TEMPER_USAGE,
                         "--holdout '%.64s' is no share of rows; give a number between 0 and 1, cv, auto or none",
                         options->holdout);
    bool asked = kind == HOLDOUT_CV || kind == HOLDOUT_SHARE;
    if (asked && options->validation)
        return error_set(error, TEMPER_USAGE,
                         "--holdout and --valid: fits without some of the rows would stop elsewhere; drop one of them, "
                         "and measure the model by 'temper eval' on other rows");
    if (asked && is_cleaned(options))
        return error_set(error, TEMPER_USAGE,
                         "--holdout and --clean: the audit has seen the rows that would be held out; drop one of them, "
                         "or hold out rows by 'temper split'");
    return TEMPER_OK;
}

bool holdout_uses_calibration(const temper_train_options *options)
{
    return options->holdout && strcmp(options->holdout, "auto") == 0 && !options->validation && !is_cleaned(options);
}

/* ---- Results --------------------------------------------------------------------------------- */

temper_expected_accuracy holdout_none(const char *why)
{
    const double none = (double)NAN;
    return (temper_expected_accuracy){.why = why, .accuracy = none, .low = none, .high = none};
}

/* Unequal weights make rows count as fewer (Kish): the effective number is that of equal weights with the same
 * variance of the mean. */
temper_expected_accuracy holdout_measure(const struct scored_rows *rows, const char *by, size_t fits)
{
    double all = 0, squares = 0, right = 0;
    for (size_t i = 0; i < rows->count; i++) {
        double weight = rows->weight ? rows->weight[i] : 1;
        all += weight;
        squares += weight * weight;
        if (class_of_scores(rows->score + i * rows->vectors, rows->vectors) == rows->label[i])
            right += weight;
    }
    if (!(all > 0))
        return holdout_none("few-rows");
    struct interval interval = wilson_interval(right / all, all * all / squares);
    return (temper_expected_accuracy){.by = by,
                                      .accuracy = right / all,
                                      .low = interval.low,
                                      .high = interval.high,
                                      .rows = rows->count,
                                      .fits = fits};
}

/* ---- Fits ------------------------------------------------------------------------------------ */

/* Takes the folds of the caller, of which the first are predicted: all, or the whole folds next to the share. */
static temper_status take_given(struct fold_scores *scores, double share)
{
    struct split split = {0};
    struct dataset all = gathered_labels_dataset(&scores->labels, scores->data);
    size_t folds = scores->options->folds;
    TRY(split_given(&all, scores->options->fold, folds, &split, scores->error));
    scores->fold = split.part;
    scores->fitted = share > 0 ? (size_t)fmax(1, round(share * (double)folds)) : folds;
    return TEMPER_OK;
}

/* Divides the rows into folds, of which the first `fitted` are predicted. */
static temper_status divide(struct fold_scores *scores, double share)
{
    struct split split = {0};
    struct split_options how = {.seed = scores->options->seed, .stratified = true};
    struct dataset all = gathered_labels_dataset(&scores->labels, scores->data);
    TRY(share > 0 ? split_test(&all, share, how, &split, scores->error)
                  : split_folds(&all, FOLDS, how, &split, scores->error));
    scores->fold = split.part;
    scores->fitted = FOLDS;
    if (share > 0) { /* the test rows are the fold that is predicted: number 0 */
        for (size_t row = 0; row < split.rows; row++)
            scores->fold[row] = scores->fold[row] == SPLIT_TEST ? 0 : 1;
        scores->fitted = 1;
    }
    return TEMPER_OK;
}

/* Moves rows to the fold of the first row with the same features. */
static temper_status join_equal_rows(struct fold_scores *scores)
{
    uint64_t *first = mem_alloc(scores->labels.rows, sizeof *first);
    temper_status status = first ? TEMPER_OK : error_no_memory(scores->error);
    status = comm_agree(scores->labels.comm, status, scores->error);
    size_t threads = scores->options->threads ? scores->options->threads : thread_count_default();
    if (status == TEMPER_OK && first)
        status = duplicates_of_all(scores->data, &scores->labels, threads, first, scores->error);
    for (size_t row = 0; status == TEMPER_OK && first && row < scores->labels.rows; row++)
        scores->fold[row] = scores->fold[first[row]]; /* an earlier row, whose fold is final */
    mem_free(first);
    return status;
}

/* Lists the rows to predict: all of positive weight in the folds that are predicted. */
static temper_status list_rows(struct fold_scores *scores)
{
    bool *usable = mem_alloc(scores->labels.rows, sizeof *usable);
    if (!usable)
        return error_no_memory(scores->error);
    for (size_t row = 0; row < scores->labels.rows; row++)
        usable[row] = scores->fold[row] < scores->fitted && (!scores->labels.weight || scores->labels.weight[row] > 0);
    temper_status status = fold_scores_choose(scores, usable, 1);
    mem_free(usable);
    return status;
}

/* Counts the right predictions of all processes. */
static temper_status measure(const struct fold_scores *scores, const char *by, temper_expected_accuracy *out)
{
    double *score = mem_alloc(scores->count, scores->model->vectors * sizeof *score);
    double *weight = mem_alloc(scores->count, sizeof *weight);
    uint32_t *label = mem_alloc(scores->count, sizeof *label);
    temper_status status = score && weight && label ? TEMPER_OK : error_no_memory(scores->error);
    status = comm_agree(scores->labels.comm, status, scores->error);
    if (status == TEMPER_OK && score)
        status = fold_scores_gather(scores, score);
    if (status == TEMPER_OK && score && weight && label) {
        for (size_t i = 0; i < scores->count; i++) {
            label[i] = scores->labels.label[scores->row[i]];
            weight[i] = scores->labels.weight ? scores->labels.weight[scores->row[i]] : 1;
        }
        struct scored_rows rows = {score, scores->model->vectors, label, weight, scores->count};
        *out = holdout_measure(&rows, by, scores->fitted);
    }
    mem_free(score);
    mem_free(weight);
    mem_free(label);
    return status;
}

/* The steps in order; processes agree on failures before the next exchange. */
static temper_status run_fits(struct fold_scores *scores, double share, temper_expected_accuracy *out)
{
    const temper_comm *comm = scores->data->ranks.comm;
    TRY(gathered_labels_needed(scores->data, &scores->labels, scores->error));
    if (scores->labels.rows < LEAST_ROWS) {
        *out = holdout_none("few-rows");
        return TEMPER_OK;
    }
    bool given = scores->options->fold != NULL;
    TRY(comm_agree(comm, (given ? take_given : divide)(scores, share), scores->error));
    if (!given)
        TRY(comm_agree(comm, join_equal_rows(scores), scores->error));
    TRY(comm_agree(comm, list_rows(scores), scores->error));
    TRY(comm_agree(comm, fold_scores_fit(scores), scores->error));
    if (!fold_scores_abandoned(scores))
        return measure(scores, share > 0 ? "holdout" : "cv", out);
    *out = holdout_none(scores->stopped ? "interrupted" : "failed");
    return TEMPER_OK;
}

/* ---- The decision ---------------------------------------------------------------------------- */

/* What auto does without fits of a calibration: fits if they are fast, else nothing. */
static const char *decide_auto(const struct dataset *data, const struct model *model, enum holdout_kind *kind,
                               double *share)
{
    double values = (double)dataset_all_nonzeros(data) * (double)model->vectors;
    bool local = !data->ranks.comm && !data->storage.memory_limit;
    if (!local || values > FAST_VALUES)
        return "large";
    *kind = data->x.rows > CV_ROWS ? HOLDOUT_SHARE : HOLDOUT_CV;
    *share = 1.0 / FOLDS;
    return NULL;
}

/* Why there can be no estimate at all; NULL: there can. */
static const char *find_obstacle(const temper_train_options *options, const temper_train_report *report,
                                 enum holdout_kind kind)
{
    if (kind == HOLDOUT_NONE)
        return "none";
    if (report->stop == TEMPER_STOP_INTERRUPTED)
        return "interrupted";
    if (is_cleaned(options))
        return "clean";
    return options->validation ? "validation" : NULL;
}

temper_status holdout_estimate(const struct dataset *data, const temper_train_options *options, struct model *model,
                               temper_train_report *report, temper_error *error)
{
    enum holdout_kind kind;
    double share = 0, started = train_clock();
    if (report->expected.by || !find_kind(options->holdout, &kind, &share))
        return TEMPER_OK;
    const char *why = find_obstacle(options, report, kind);
    if (!why && kind == HOLDOUT_AUTO)
        why = decide_auto(data, model, &kind, &share);
    if (why) {
        report->expected = holdout_none(why);
        return TEMPER_OK;
    }
    struct fold_scores scores = {.data = data,
                                 .options = options,
                                 .model = model,
                                 .error = error,
                                 .phase = TEMPER_PHASE_HOLDOUT,
                                 .started = started - report->seconds};
    temper_status status = run_fits(&scores, kind == HOLDOUT_SHARE ? share : 0, &report->expected);
    if (scores.stopped)
        report->stop = TEMPER_STOP_INTERRUPTED;
    fold_scores_free(&scores);
    report->seconds += train_clock() - started;
    return status;
}
