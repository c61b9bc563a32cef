/* calibrate: scores for the calibration: out of fold, or those of the model itself where its weights are few.
 *
 * A model is surer of the rows that it was fitted to than of others, by about (weights / rows). Where that is
 * negligible, the scores of the model itself serve. Otherwise models are fitted without a fold of the rows each, from
 * the weights of the model, until enough rows have been scored by a model that has not seen them: all five folds of
 * small data, one of large data. The fold of a row follows from its features, so that equal rows are in one fold: none
 * is scored by a model that has seen its copy. Up to MOST_ROWS rows all are used, and their order makes no difference;
 * of more, every n-th is taken. Validation rows, where there are any, have not been fitted to either. */
#include "search/calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/thread.h"
#include "data/dist/gather_labels.h"
#include "data/duplicate_rows.h"
#include "data/memory/page_window.h"
#include "data/subset.h"
#include "predict/calibration.h"
#include "predict/predict.h"
#include "train/train.h"

enum {
    FOLDS = 5,
    FEW_ROWS = 1000,      /* equal rows are counted once; of more rows it makes no difference */
    LEAST_ROWS = 20,      /* with fewer, no estimate is better than the order that the loss implies */
    ENOUGH_ROWS = 2000,   /* out of fold: two numbers are estimated to about 1/50 of themselves */
    MOST_ROWS = 5000,     /* used by the fit, */
    MOST_CELLS = 1 << 17, /* and rows times classes; */
    FEWEST_SAMPLED = 500, /* however many classes there are */
    PIECE_ROWS = 256,     /* that are scored at once */
    ROWS_PER_WEIGHT = 50, /* from which the scores of the model itself serve */
    MOST_ITERATIONS = 200 /* of a fold: without a penalty, separable rows have no optimum */
};

/* Of the folds, relative to the tolerance of the training: their scores are needed to fewer digits. Bounded, because a
 * fit that starts from the model has to leave it: with a loose tolerance its first iterate would do, and the rows of
 * the fold would be scored by a model that has seen them. */
static const double FOLD_TOLERANCE = 10, MOST_TOLERANCE = 1e-3;

/* The words of temper_train_options.calibrate, in this order. */
enum calibrate_kind { CALIBRATE_AUTO, CALIBRATE_NONE, CALIBRATE_FOLDS, CALIBRATE_TRAIN, CALIBRATE_KINDS };
static const char *const kinds[CALIBRATE_KINDS] = {"auto", "none", "folds", "train"};

/* A calibration in progress. Rows are numbered among those of all processes, which make the same decisions. */
struct calibrate_job {
    const struct dataset *data; /* the rows of this process, or validation rows */
    const temper_train_options *options;
    struct model *model;
    temper_error *error;
    struct gathered_labels labels;
    uint32_t *class_of;  /* the model's number of each class of the validation rows; NULL: the same numbers */
    uint32_t *fold;      /* of each row; NULL where the model itself scores */
    size_t counted;      /* rows of positive weight */
    size_t distinct;     /* of them, equal ones once */
    size_t fitted;       /* folds that are scored by models of the others; 0: the model itself scores */
    size_t *row;         /* the rows that the calibration is fitted to, ascending */
    size_t count;        /* of them, */
    size_t from, to;     /* and those among them that this process has: row[from .. to - 1] */
    double *score;       /* [(to - from) * vectors], of the rows of this process */
    bool stopped;        /* by the caller of any process */
    temper_error failed; /* of a fit without a fold of the rows that its data made impossible; else TEMPER_OK */
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
    double weights = (double)job->model->vectors * ((double)job->model->features + 1);
    if (kind != CALIBRATE_AUTO)
        return kind == CALIBRATE_FOLDS;
    return (double)job->counted < ROWS_PER_WEIGHT * weights;
}

/* Whether a row has an influence on the fits. */
static bool row_counts(const struct calibrate_job *job, size_t row)
{
    return !job->labels.weight || job->labels.weight[row] > 0;
}

/* Decides how many folds to score: enough rows for the estimate. */
static temper_status assign_folds(struct calibrate_job *job, const uint64_t *hash)
{
    job->fold = mem_alloc(job->labels.rows, sizeof *job->fold);
    if (!job->fold)
        return error_no_memory(job->error);
    for (size_t row = 0; row < job->labels.rows; row++)
        job->fold[row] = (uint32_t)(hash[row] % FOLDS);
    size_t enough = ENOUGH_ROWS * (size_t)FOLDS; /* rows of all folds, of which one is enough */
    job->fitted = job->counted < ENOUGH_ROWS ? FOLDS : (enough + job->counted - 1) / job->counted;
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
    for (size_t row = 0; row < job->labels.rows; row++)
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
    uint64_t *hash = mem_alloc(job->labels.rows, sizeof *hash);
    temper_status status = hash ? TEMPER_OK : error_no_memory(job->error);
    status = comm_agree(job->labels.comm, status, job->error);
    if (status == TEMPER_OK && hash) { /* in all processes */
        status = row_hashes_of_all(job->data, &job->labels, hash, job->error);
        if (status == TEMPER_OK && folds)
            status = assign_folds(job, hash);
        if (status == TEMPER_OK && job->counted < FEW_ROWS)
            count_distinct(job, hash);
    }
    mem_free(hash);
    forget_pages(job->data);
    return status;
}

/* The class of a row by the numbers of the model, or CLASSES_NONE. */
static uint32_t class_of_row(const struct calibrate_job *job, size_t row)
{
    uint32_t label = job->labels.label[row];
    return job->class_of ? job->class_of[label] : label;
}

/* Whether a row can be used: it counts, the model knows its class, and its fold, if any, is scored. */
static bool is_usable(const struct calibrate_job *job, size_t row)
{
    return row_counts(job, row) && class_of_row(job, row) != CLASSES_NONE &&
           (!job->fitted || job->fold[row] < job->fitted);
}

/* Fills job->row with every n-th usable row, so that at most as many are left as the fit can use. Rows are numbered
 * among those of all processes, so that all of them make the same list; row[from .. to - 1] are those that this process
 * has. Every n-th row is a systematic sample, which keeps the shares of the classes where a file is sorted by class. */
static temper_status sample_rows(struct calibrate_job *job)
{
    size_t most = MOST_CELLS / job->model->classes.count, usable = 0, stride, number = 0;
    most = most > MOST_ROWS ? MOST_ROWS : most < FEWEST_SAMPLED ? FEWEST_SAMPLED : most;
    for (size_t row = 0; row < job->labels.rows; row++)
        usable += is_usable(job, row);
    stride = usable > most ? (usable + most - 1) / most : 1;
    job->row = mem_alloc(usable / stride + 1, sizeof *job->row);
    if (!job->row)
        return error_no_memory(job->error);
    for (size_t row = 0; row < job->labels.rows; row++) {
        if (!is_usable(job, row) || number++ % stride != 0)
            continue;
        job->row[job->count++] = row;
        job->from += row < job->labels.first;
        job->to += row < job->labels.first + job->labels.own;
    }
    job->score = mem_alloc(job->to - job->from, job->model->vectors * sizeof *job->score);
    return job->score ? TEMPER_OK : error_no_memory(job->error);
}

/* ---- Scores -------------------------------------------------------------------------------------------------------
 */

/* What scores rows: weights for scaled features, or, if `features` is NULL, the model itself. */
struct calibrate_scorer {
    const struct scaled_features *features;
    struct solution solution;
    uint32_t fold; /* only rows of this fold, if there are folds */
};

/* Scores some sampled rows of this process, by their numbers among them, and copies the scores to their places. `a` has
 * space for them. Scores come either from the weights of a fold's fit, for which the features are scaled, or from the
 * model itself. */
static temper_status score_piece(struct calibrate_job *job, const struct calibrate_scorer *scorer, const size_t *index,
                                 size_t count, double *a)
{
    size_t number[PIECE_ROWS], vectors = job->model->vectors;
    struct dataset *rows = NULL;
    for (size_t i = 0; i < count; i++)
        number[i] = job->row[job->from + index[i]] - job->labels.first;
    TRY(dataset_rows(job->data, number, count, &rows, job->error));
    temper_status status = scorer->features
                               ? scaled_features_activations_of(scorer->features, &rows->x, scorer->solution,
                                                                scorer->features->threads, a, job->error)
                               : decide(job->model, &rows->x, job->options->threads, a, job->error);
    for (size_t i = 0; status == TEMPER_OK && i < count; i++)
        memcpy(job->score + index[i] * vectors, a + i * vectors, vectors * sizeof *a);
    dataset_free(rows);
    return status;
}

/* Scores the sampled rows of this process, piece by piece: a copy of all of them could exceed a memory limit. Of the
 * rows that this scorer may score: those of its fold, or all where the model itself does. */
static temper_status score_rows(struct calibrate_job *job, const struct calibrate_scorer *scorer)
{
    size_t index[PIECE_ROWS], own = job->to - job->from, count = 0;
    double *a = mem_alloc(PIECE_ROWS, job->model->vectors * sizeof *a);
    temper_status status = a ? TEMPER_OK : error_no_memory(job->error);
    for (size_t i = 0; status == TEMPER_OK && i < own; i++) {
        if (!job->fitted || job->fold[job->row[job->from + i]] == scorer->fold)
            index[count++] = i;
        if (count == PIECE_ROWS || (i + 1 == own && count > 0)) {
            status = score_piece(job, scorer, index, count, a);
            count = 0;
        }
    }
    mem_free(a);
    forget_pages(job->data);
    return status;
}

/* The callback of the fits: the caller sees them as a phase of its training. */
static int report_progress(void *context, const temper_train_progress *progress)
{
    struct calibrate_job *job = context;
    temper_train_progress shown = *progress;
    shown.phase = TEMPER_PHASE_CALIBRATE;
    return job->options->on_progress(job->options->progress_context, &shown);
}

/* The options of a fold's fit: those of the training, from the weights of its model, and nothing around the fit.
 * Validation, checkpoints and several starts belong to the training and would repeat for each fold; the weights of the
 * model are near the optimum without a fifth of the rows, so that a fold takes few iterations. */
static temper_train_options fold_options(struct calibrate_job *job)
{
    temper_train_options options = *job->options;
    options.loss = job->model->loss;
    options.l2 = job->model->l2;
    options.warm_start = (const temper_model *)job->model;
    options.init = NULL;
    options.validation = NULL;
    options.starts = 1;
    options.tolerance = fmin(FOLD_TOLERANCE * options.tolerance, MOST_TOLERANCE);
    if (options.max_iterations > MOST_ITERATIONS)
        options.max_iterations = MOST_ITERATIONS;
    options.checkpoint = NULL;
    options.resume = 0;
    if (options.on_progress)
        options.on_progress = report_progress;
    options.progress_context = job;
    return options;
}

/* Fits without the rows of a fold, and scores them. A fit that fails because of its data is no failure of the training,
 * whose model is there. All processes stop where the caller of one of them does: train_fit reports it to all. */
static temper_status fit_fold(struct calibrate_job *job, const struct scaled_features *features, uint32_t fold)
{
    struct dataset *others = NULL;
    struct train_fit_result result = {0};
    temper_train_options options = fold_options(job);
    TRY(dataset_without_part(features->data, job->fold, fold, &others, job->error));
    struct train_request request = {
        .data = others, .features = features, .one_at_a_time = true, .options = &options, .error = &job->failed};
    temper_status status = train_fit(&request, job->model->loss, &result);
    job->stopped = result.interrupted;
    if (status == TEMPER_BAD_DATA) {
        status = TEMPER_OK;
    } else if (status != TEMPER_OK) {
        if (job->error)
            *job->error = job->failed;
    } else if (!job->stopped) {
        struct solution solution = {result.solution, job->model->vectors, !job->options->no_intercept};
        status = score_rows(job, &(struct calibrate_scorer){features, solution, fold});
        /* Before the next fold, in which all processes take part. */
        status = comm_agree(job->data->ranks.comm, status, job->error);
    }
    train_fit_free(&result);
    dataset_free(others);
    return status;
}

/* Whether the model stays without a calibration. */
static bool is_abandoned(const struct calibrate_job *job)
{
    return job->stopped || job->failed.status != TEMPER_OK;
}

/* Scores of the folds, one after another: each fit uses all threads, and calls back from the thread of the caller. */
static temper_status score_by_folds(struct calibrate_job *job)
{
    struct scaled_features features;
    size_t threads = job->options->threads ? job->options->threads : thread_count_default();
    TRY(scaled_features_new(job->data, job->options->scale, threads, &features, job->error));
    temper_status status = TEMPER_OK;
    for (uint32_t fold = 0; status == TEMPER_OK && fold < job->fitted && !is_abandoned(job); fold++)
        status = fit_fold(job, &features, fold);
    scaled_features_free(&features);
    return status;
}

/* ---- The fit ------------------------------------------------------------------------------------------------------
 */

/* The scores of the sampled rows of all processes into all[count * vectors]. The processes have different numbers of
 * sampled rows, so that these are gathered first. */
static temper_status gather_scores(const struct calibrate_job *job, double *all)
{
    const temper_comm *comm = job->data->ranks.comm;
    size_t each = job->model->vectors * sizeof *all;
    uint64_t own = job->to - job->from, *rows = mem_alloc(comm_size(comm), sizeof *rows);
    size_t *bytes = mem_alloc(comm_size(comm), sizeof *bytes);
    temper_status status = rows && bytes ? TEMPER_OK : error_no_memory(job->error);
    status = comm_agree(comm, status, job->error);
    if (status == TEMPER_OK && rows && bytes) { /* in all processes */
        status = comm_gather_each(comm, &own, sizeof own, rows, job->error);
        for (size_t r = 0; status == TEMPER_OK && r < comm_size(comm); r++)
            bytes[r] = (size_t)rows[r] * each;
        if (status == TEMPER_OK)
            status = comm_gather(comm, job->score, bytes, all, job->error);
    }
    mem_free(rows);
    mem_free(bytes);
    return status;
}

/* Fits the calibration to the scores of all processes, in the order of the rows. Every process fits the same numbers
 * and finds the same calibration; nothing has to be sent back. */
static temper_status fit_to_scores(const struct calibrate_job *job)
{
    double *score = mem_alloc(job->count, job->model->vectors * sizeof *score);
    double *weight = mem_alloc(job->count, sizeof *weight);
    uint32_t *label = mem_alloc(job->count, sizeof *label);
    temper_status status = score && weight && label ? TEMPER_OK : error_no_memory(job->error);
    status = comm_agree(job->labels.comm, status, job->error);
    if (status == TEMPER_OK && score)
        status = gather_scores(job, score);
    for (size_t i = 0; status == TEMPER_OK && label && weight && i < job->count; i++) {
        label[i] = class_of_row(job, job->row[i]);
        weight[i] = job->labels.weight ? job->labels.weight[job->row[i]] : 1;
    }
    struct calibration found = {.folds = job->fitted};
    struct calibration_rows rows = {score, label, weight, job->count, job->distinct};
    if (status == TEMPER_OK)
        status = comm_agree(job->labels.comm, calibration_fit(job->model, &rows, &found, job->error), job->error);
    if (status != TEMPER_OK)
        mem_free(found.matrix);
    else
        job->model->calibration = found;
    mem_free(score);
    mem_free(weight);
    mem_free(label);
    return status;
}

/* Takes the validation rows instead of the training rows. Their classes are matched by name. */
static temper_status take_validation(struct calibrate_job *job)
{
    job->data = (const struct dataset *)job->options->validation;
    const struct classes *classes = &job->data->classes;
    job->class_of = mem_alloc(classes->count, sizeof *job->class_of);
    if (!job->class_of)
        return error_no_memory(job->error);
    for (size_t c = 0; c < classes->count; c++)
        job->class_of[c] = classes_find(&job->model->classes, classes->name[c], strlen(classes->name[c]));
    return TEMPER_OK;
}

/* The steps in order, for a model that is to be calibrated. */
static temper_status run_steps(struct calibrate_job *job, enum calibrate_kind kind)
{
    bool validated = kind == CALIBRATE_AUTO && job->options->validation;
    const temper_comm *comm = job->data->ranks.comm;
    /* Processes agree on failures before the next exchange. */
    if (validated)
        TRY(comm_agree(comm, take_validation(job), job->error));
    TRY(gathered_labels_needed(job->data, &job->labels, job->error));
    for (size_t row = 0; row < job->labels.rows; row++)
        job->counted += row_counts(job, row);
    TRY(comm_agree(comm, examine_rows(job, !validated && needs_folds(job, kind)), job->error));
    if (job->distinct < LEAST_ROWS)
        return TEMPER_OK;
    TRY(comm_agree(comm, sample_rows(job), job->error));
    /* None, for instance, if all validation rows are of classes that the model does not know. */
    if (job->count < LEAST_ROWS)
        return TEMPER_OK;
    temper_status status =
        job->fitted ? score_by_folds(job) : score_rows(job, &(struct calibrate_scorer){.features = NULL});
    TRY(comm_agree(comm, status, job->error));
    return is_abandoned(job) ? TEMPER_OK : fit_to_scores(job);
}

/* An interrupted training is not calibrated: its caller wants to end. A fit without a fold may be impossible although
 * the training was not, as where one class has all its rows in that fold: then the model stays without calibration,
 * with a warning. The seconds are added to those of the training, of which the calibration is a part for the user. */
temper_status calibrate_model(const struct dataset *data, const temper_train_options *options, struct model *model,
                              temper_train_report *report, temper_error *error)
{
    struct calibrate_job job = {.data = data, .options = options, .model = model, .error = error};
    double started = train_clock();
    enum calibrate_kind kind;
    if (!find_kind(options->calibrate, &kind) || kind == CALIBRATE_NONE || report->stop == TEMPER_STOP_INTERRUPTED)
        return TEMPER_OK;
    temper_status status = run_steps(&job, kind);
    if (job.stopped)
        report->stop = TEMPER_STOP_INTERRUPTED;
    if (status == TEMPER_OK && job.failed.status != TEMPER_OK)
        warning_append(
            &report->warnings, TEMPER_WARNING_NOT_CALIBRATED,
            "the probabilities are not calibrated, since a fit without a fifth of the rows failed: %.300s; or "
            "calibrate on the training rows by --calibrate train",
            job.failed.message);
    report->calibration_order = model->calibration.order;
    report->calibration_floor = model->calibration.floor;
    report->calibration_rows = (size_t)model->calibration.rows;
    report->calibration_folds = (size_t)model->calibration.folds;
    report->seconds += train_clock() - started;
    gathered_labels_free(&job.labels);
    mem_free(job.fold);
    mem_free(job.class_of);
    mem_free(job.row);
    mem_free(job.score);
    return status;
}
