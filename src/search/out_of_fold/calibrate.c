/* calibrate: scores for the calibration: out of fold, or those of the model itself where its weights are few.
 *
 * A model is surer of the rows that it was fitted to than of others, by about (weights / rows). Where that is
 * negligible, the scores of the model itself serve. Otherwise models are fitted without a fold of the rows each, from
 * the weights of the model, until enough rows have been scored by a model that has not seen them: all five folds of
 * small data, one of large data. The fold of a row follows from its features, so that equal rows are in one fold: none
 * is scored by a model that has seen its copy; folds that the caller has given stand. Up to MOST_ROWS rows all are
 * used, and their order makes no difference; of more, every n-th is taken. Validation rows, where there are any, have
 * not been fitted to either. */
#include "search/out_of_fold/calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/thread.h"
#include "data/duplicate_rows.h"
#include "data/memory/page_window.h"
#include "predict/calibration.h"
#include "search/out_of_fold/fold_scores.h"
#include "search/out_of_fold/holdout.h"
#include "train/train.h"

enum {
    FOLDS = 5,
    FEW_ROWS = 1000,      /* equal rows are counted once; of more rows it makes no difference */
    LEAST_ROWS = 20,      /* with fewer, no estimate is better than the order that the loss implies */
    ENOUGH_ROWS = 2000,   /* out of fold: two numbers are estimated to about 1/50 of themselves */
    MOST_ROWS = 5000,     /* used by the fit, */
    MOST_CELLS = 1 << 17, /* and rows times classes; */
    FEWEST_SAMPLED = 500, /* however many classes there are */
    ROWS_PER_WEIGHT = 50  /* from which the scores of the model itself serve */
};

/* The words of temper_train_options.calibrate, in this order. */
enum calibrate_kind { CALIBRATE_AUTO, CALIBRATE_NONE, CALIBRATE_FOLDS, CALIBRATE_TRAIN, CALIBRATE_KINDS };
static const char *const kinds[CALIBRATE_KINDS] = {"auto", "none", "folds", "train"};

/* A calibration in progress. */
struct calibrate_job {
    struct fold_scores scores; /* of the rows that the calibration is fitted to: training rows, or validation rows */
    uint32_t *class_of;        /* the model's number of each class of the validation rows; NULL: the same numbers */
    size_t counted;            /* rows of positive weight */
    size_t distinct;           /* of them, equal ones once */
};

/* ---- Decisions ----------------------------------------------------------------------------------------------------
 */

/* NULL stands for auto; false for any other word that is not in the list. */
static bool find_kind(const char *word, enum calibrate_kind *kind)
{
    *kind = CALIBRATE_AUTO;
    for (int i = 0; word && i < CALIBRATE_KINDS; i++)
        if (strcmp(word, kinds[i]) == 0) {
            *kind = (enum calibrate_kind)i;
            return true;
        }
    return !word;
}

/* The check alone, so that a wrong word is refused before the training. */
temper_status calibrate_check(const temper_train_options *options, temper_error *error)
{
    enum calibrate_kind kind;
    if (find_kind(options->calibrate, &kind))
        return TEMPER_OK;
    return error_set(error, TEMPER_USAGE, "unknown calibration '%.64s'; give auto, none, folds or train",
                     options->calibrate);
}

/* Whether models of the folds are needed. A memory limit makes no difference: it must not change the model. */
static bool needs_folds(const struct calibrate_job *job, enum calibrate_kind kind)
{
    double weights = (double)job->scores.model->vectors * ((double)job->scores.model->features + 1);
    if (kind != CALIBRATE_AUTO)
        return kind == CALIBRATE_FOLDS;
    return (double)job->counted < ROWS_PER_WEIGHT * weights;
}

/* Whether a row has an influence on the fits. */
static bool row_counts(const struct calibrate_job *job, size_t row)
{
    return !job->scores.labels.weight || job->scores.labels.weight[row] > 0;
}

/* Takes the given folds, or draws them, and decides how many of them to score: enough rows for the estimate. */
static temper_status assign_folds(struct calibrate_job *job, const uint64_t *hash)
{
    const uint32_t *given = job->scores.options->fold;
    size_t folds = given ? job->scores.options->folds : FOLDS;
    job->scores.fold = mem_alloc(job->scores.labels.rows, sizeof *job->scores.fold);
    if (!job->scores.fold)
        return error_no_memory(job->scores.error);
    for (size_t row = 0; row < job->scores.labels.rows; row++)
        job->scores.fold[row] = given ? given[row] : (uint32_t)(hash[row] % FOLDS);
    size_t enough = ENOUGH_ROWS * folds; /* rows of all folds, of which one is enough */
    job->scores.fitted = job->counted < ENOUGH_ROWS ? folds : (enough + job->counted - 1) / job->counted;
    return TEMPER_OK;
}

/* For qsort; a difference of two hashes would not fit into an int. */
static int by_value(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return one < other ? -1 : one > other;
}

/* Sets job->distinct: sorts the hashes of the rows that count, and counts those that differ from their predecessor. Two
 * different rows with one hash of 64 bits are not expected among so few. `hash` is reordered. */
static void count_distinct(struct calibrate_job *job, uint64_t *hash)
{
    size_t count = 0;
    job->distinct = 0;
    for (size_t row = 0; row < job->scores.labels.rows; row++)
        if (row_counts(job, row))
            hash[count++] = hash[row];
    qsort(hash, count, sizeof *hash, by_value);
    for (size_t i = 0; i < count; i++)
        job->distinct += i == 0 || hash[i] != hash[i - 1];
}

/* Drops the pages of a mapped file that reading single rows has left: the fits announce theirs, within the limit. */
static void forget_pages(const struct dataset *data)
{
    if (data->x.pages)
        page_window_forget(data->x.pages);
}

/* Counts distinct rows, and draws folds where they are needed: both by hashes of the rows, which many rows with few
 * weights do without. */
static temper_status examine_rows(struct calibrate_job *job, bool folds)
{
    job->distinct = job->counted;
    if (!folds && job->counted >= FEW_ROWS)
        return TEMPER_OK;
    uint64_t *hash = mem_alloc(job->scores.labels.rows, sizeof *hash);
    temper_status status = hash ? TEMPER_OK : error_no_memory(job->scores.error);
    status = comm_agree(job->scores.labels.comm, status, job->scores.error);
    if (status == TEMPER_OK && hash) { /* in all processes */
        size_t threads = job->scores.options->threads ? job->scores.options->threads : thread_count_default();
        status = row_hashes_of_all(job->scores.data, &job->scores.labels, threads, hash, job->scores.error);
        if (status == TEMPER_OK && folds)
            status = assign_folds(job, hash);
        if (status == TEMPER_OK && job->counted < FEW_ROWS)
            count_distinct(job, hash);
    }
    mem_free(hash);
    forget_pages(job->scores.data);
    return status;
}

/* The class of a row by the numbers of the model, or CLASSES_NONE. */
static uint32_t class_of_row(const struct calibrate_job *job, size_t row)
{
    uint32_t label = job->scores.labels.label[row];
    return job->class_of ? job->class_of[label] : label;
}

/* Whether a row can be used: it counts, the model knows its class, and its fold, if any, is scored. */
static bool is_usable(const struct calibrate_job *job, size_t row)
{
    return row_counts(job, row) && class_of_row(job, row) != CLASSES_NONE &&
           (!job->scores.fitted || job->scores.fold[row] < job->scores.fitted);
}

/* Lists every n-th usable row, so that at most as many are left as the fit can use. */
static temper_status sample_rows(struct calibrate_job *job)
{
    struct fold_scores *scores = &job->scores;
    size_t most = MOST_CELLS / scores->model->classes.count, count = 0;
    most = most > MOST_ROWS ? MOST_ROWS : most < FEWEST_SAMPLED ? FEWEST_SAMPLED : most;
    bool *usable = mem_alloc(scores->labels.rows, sizeof *usable);
    if (!usable)
        return error_no_memory(scores->error);
    for (size_t row = 0; row < scores->labels.rows; row++)
        count += usable[row] = is_usable(job, row);
    temper_status status = fold_scores_choose(scores, usable, count > most ? (count + most - 1) / most : 1);
    mem_free(usable);
    return status;
}

/* ---- The fit ------------------------------------------------------------------------------------------------------
 */

/* Fits the calibration to the scores of all processes, in the order of the rows. Every process fits the same numbers
 * and finds the same calibration; nothing has to be sent back. Scores out of fold also give the accuracy to expect. */
static temper_status fit_to_scores(const struct calibrate_job *job, temper_expected_accuracy *expected)
{
    double *score = mem_alloc(job->scores.count, job->scores.model->vectors * sizeof *score);
    double *weight = mem_alloc(job->scores.count, sizeof *weight);
    uint32_t *label = mem_alloc(job->scores.count, sizeof *label);
    temper_status status = score && weight && label ? TEMPER_OK : error_no_memory(job->scores.error);
    status = comm_agree(job->scores.labels.comm, status, job->scores.error);
    if (status == TEMPER_OK && score)
        status = fold_scores_gather(&job->scores, score);
    for (size_t i = 0; status == TEMPER_OK && label && weight && i < job->scores.count; i++) {
        label[i] = class_of_row(job, job->scores.row[i]);
        weight[i] = job->scores.labels.weight ? job->scores.labels.weight[job->scores.row[i]] : 1;
    }
    struct calibration found = {.folds = job->scores.fitted};
    struct calibration_rows rows = {score, label, weight, job->scores.count, job->distinct};
    if (status == TEMPER_OK)
        status = comm_agree(job->scores.labels.comm,
                            calibration_fit(job->scores.model, &rows, &found, job->scores.error), job->scores.error);
    if (status != TEMPER_OK)
        mem_free(found.matrix);
    else
        job->scores.model->calibration = found;
    struct scored_rows scored = {score, job->scores.model->vectors, label, weight, job->scores.count};
    if (status == TEMPER_OK && job->scores.fitted && holdout_uses_calibration(job->scores.options))
        *expected = holdout_measure(&scored, "calibration", job->scores.fitted);
    mem_free(score);
    mem_free(weight);
    mem_free(label);
    return status;
}

/* Takes the validation rows instead of the training rows. Their classes are matched by name. */
static temper_status take_validation(struct calibrate_job *job)
{
    job->scores.data = (const struct dataset *)job->scores.options->validation;
    const struct classes *classes = &job->scores.data->classes;
    job->class_of = mem_alloc(classes->count, sizeof *job->class_of);
    if (!job->class_of)
        return error_no_memory(job->scores.error);
    for (size_t c = 0; c < classes->count; c++)
        job->class_of[c] = classes_find(&job->scores.model->classes, classes->name[c], strlen(classes->name[c]));
    return TEMPER_OK;
}

/* The steps in order, for a model that is to be calibrated. */
static temper_status run_steps(struct calibrate_job *job, enum calibrate_kind kind, temper_expected_accuracy *expected)
{
    bool validated = kind == CALIBRATE_AUTO && job->scores.options->validation;
    const temper_comm *comm = job->scores.data->ranks.comm;
    /* Processes agree on failures before the next exchange. */
    if (validated)
        TRY(comm_agree(comm, take_validation(job), job->scores.error));
    TRY(gathered_labels_needed(job->scores.data, &job->scores.labels, job->scores.error));
    for (size_t row = 0; row < job->scores.labels.rows; row++)
        job->counted += row_counts(job, row);
    TRY(comm_agree(comm, examine_rows(job, !validated && needs_folds(job, kind)), job->scores.error));
    if (job->distinct < LEAST_ROWS)
        return TEMPER_OK;
    TRY(comm_agree(comm, sample_rows(job), job->scores.error));
    /* None, for instance, if all validation rows are of classes that the model does not know. */
    if (job->scores.count < LEAST_ROWS)
        return TEMPER_OK;
    temper_status status = job->scores.fitted ? fold_scores_fit(&job->scores) : fold_scores_by_model(&job->scores);
    TRY(comm_agree(comm, status, job->scores.error));
    return fold_scores_abandoned(&job->scores) ? TEMPER_OK : fit_to_scores(job, expected);
}

/* An interrupted training is not calibrated: its caller wants to end. A fit without a fold may be impossible although
 * the training was not, as where one class has all its rows in that fold: then the model stays without calibration,
 * with a warning. The seconds are added to those of the training, of which the calibration is a part for the user. */
temper_status calibrate_model(const struct dataset *data, const temper_train_options *options, struct model *model,
                              temper_train_report *report, temper_error *error)
{
    struct calibrate_job job = {.scores = {.data = data,
                                           .options = options,
                                           .model = model,
                                           .error = error,
                                           .phase = TEMPER_PHASE_CALIBRATE,
                                           .started = train_clock() - report->seconds,
                                           .from_model = true}};
    double started = train_clock();
    enum calibrate_kind kind;
    if (!find_kind(options->calibrate, &kind) || kind == CALIBRATE_NONE || report->stop == TEMPER_STOP_INTERRUPTED)
        return TEMPER_OK;
    temper_status status = run_steps(&job, kind, &report->expected);
    if (job.scores.stopped)
        report->stop = TEMPER_STOP_INTERRUPTED;
    if (status == TEMPER_OK && job.scores.failed.status != TEMPER_OK)
        warning_append(
            &report->warnings, TEMPER_WARNING_NOT_CALIBRATED,
            "the probabilities are not calibrated, since a fit without a fifth of the rows failed: %.300s; or "
            "calibrate on the training rows by --calibrate train",
            job.scores.failed.message);
    report->calibration_order = model->calibration.order;
    report->calibration_floor = model->calibration.floor;
    report->calibration_rows = (size_t)model->calibration.rows;
    report->calibration_folds = (size_t)model->calibration.folds;
    report->seconds += train_clock() - started;
    fold_scores_free(&job.scores);
    mem_free(job.class_of);
    return status;
}
