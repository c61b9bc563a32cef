/* fold_scores: fits a model for each fold, without its rows, and scores these rows by it. */
#include "search/out_of_fold/fold_scores.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "data/memory/page_window.h"
#include "data/subset.h"
#include "predict/predict.h"
#include "train/train.h"

enum {
    PIECE_ROWS = 256,     /* that are scored at once */
    MOST_ITERATIONS = 200 /* of a fit from the model: without a penalty, separable rows have no optimum */
};

/* Of fits from the model, relative to the tolerance of the training: their scores are needed to fewer digits. Bounded,
 * because such a fit has to leave the model: with a loose tolerance its first iterate would do, and the rows of the
 * fold would be scored by a model that has seen them. */
static const double FOLD_TOLERANCE = 10, MOST_TOLERANCE = 1e-3;

void fold_scores_free(struct fold_scores *s)
{
    gathered_labels_free(&s->labels);
    mem_free(s->fold);
    mem_free(s->row);
    mem_free(s->score);
}

temper_status fold_scores_choose(struct fold_scores *s, const bool *usable, size_t stride)
{
    size_t number = 0, rows = 0;
    for (size_t row = 0; row < s->labels.rows; row++)
        rows += usable[row];
    s->row = mem_alloc(rows / stride + 1, sizeof *s->row);
    if (!s->row)
        return error_no_memory(s->error);
    for (size_t row = 0; row < s->labels.rows; row++) {
        if (!usable[row] || number++ % stride != 0)
            continue;
        s->row[s->count++] = row;
        s->from += row < s->labels.first;
        s->to += row < s->labels.first + s->labels.own;
    }
    s->score = mem_alloc(s->to - s->from, s->model->vectors * sizeof *s->score);
    return s->score ? TEMPER_OK : error_no_memory(s->error);
}

/* What scores rows: weights for scaled features, or, if `features` is NULL, the model itself. */
struct row_scorer {
    const struct scaled_features *features;
    struct solution solution;
    uint32_t fold; /* only rows of this fold, if there are folds */
};

/* Scores some sampled rows of this process, by their numbers among them, and copies the scores to their places. `a` has
 * space for them. Scores come either from the weights of a fold's fit, for which the features are scaled, or from the
 * model itself. */
static temper_status score_piece(struct fold_scores *s, const struct row_scorer *scorer, const size_t *index,
                                 size_t count, double *a)
{
    size_t number[PIECE_ROWS], vectors = s->model->vectors;
    struct dataset *rows = NULL;
    for (size_t i = 0; i < count; i++)
        number[i] = s->row[s->from + index[i]] - s->labels.first;
    TRY(dataset_rows(s->data, number, count, &rows, s->error));
    temper_status status = scorer->features
                               ? scaled_features_activations_of(scorer->features, &rows->x, scorer->solution,
                                                                scorer->features->threads, a, s->error)
                               : decide(s->model, &rows->x, s->options->threads, a, s->error);
    for (size_t i = 0; status == TEMPER_OK && i < count; i++)
        memcpy(s->score + index[i] * vectors, a + i * vectors, vectors * sizeof *a);
    dataset_free(rows);
    return status;
}

/* Scores the sampled rows of this process, piece by piece: a copy of all of them could exceed a memory limit. Of the
 * rows that this scorer may score: those of its fold, or all where the model itself does. */
static temper_status score_rows(struct fold_scores *s, const struct row_scorer *scorer)
{
    size_t index[PIECE_ROWS], own = s->to - s->from, count = 0;
    double *a = mem_alloc(PIECE_ROWS, s->model->vectors * sizeof *a);
    temper_status status = a ? TEMPER_OK : error_no_memory(s->error);
    for (size_t i = 0; status == TEMPER_OK && i < own; i++) {
        if (!s->fitted || s->fold[s->row[s->from + i]] == scorer->fold)
            index[count++] = i;
        if (count == PIECE_ROWS || (i + 1 == own && count > 0)) {
            status = score_piece(s, scorer, index, count, a);
            count = 0;
        }
    }
    mem_free(a);
    if (s->data->x.pages) /* the fits announce theirs, within the limit */
        page_window_forget(s->data->x.pages);
    return status;
}

/* The callback of the fits: the caller sees them as a phase of its training. */
static int report_progress(void *context, const temper_train_progress *progress)
{
    struct fold_scores *s = context;
    temper_train_progress shown = *progress;
    shown.phase = s->phase;
    shown.seconds = train_clock() - s->started;
    shown.state = NULL; /* the model of the fit lacks a fold, and is none to be had */
    return s->options->on_progress(s->options->progress_context, &shown);
}

/* The options of a fold's fit: those of the training, and nothing around the fit. Validation, checkpoints and several
 * starts belong to the training and would repeat for each fold. The weights of the model are near the optimum without a
 * part of the rows, so that a fit that starts from them takes few iterations. */
static temper_train_options fold_options(struct fold_scores *s)
{
    temper_train_options options = *s->options;
    options.loss = s->model->loss;
    options.l2 = s->model->l2;
    options.validation = NULL;
    options.starts = 1;
    if (s->from_model) {
        options.warm_start = (const temper_model *)s->model;
        options.init = NULL;
        options.tolerance = fmin(FOLD_TOLERANCE * options.tolerance, MOST_TOLERANCE);
        if (options.max_iterations > MOST_ITERATIONS)
            options.max_iterations = MOST_ITERATIONS;
    }
    options.checkpoint = NULL;
    options.resume = 0;
    if (options.on_progress)
        options.on_progress = report_progress;
    options.progress_context = s;
    return options;
}

/* Fits without the rows of a fold, and scores them. A fit that fails because of its data is no failure of the training,
 * whose model is there. All processes stop where the caller of one of them does: train_fit reports it to all. */
static temper_status fit_fold(struct fold_scores *s, const struct scaled_features *features, uint32_t fold)
{
    struct dataset *others = NULL;
    struct train_fit_result result = {0};
    temper_train_options options = fold_options(s);
    TRY(dataset_without_part(features->data, s->fold, fold, &others, s->error));
    struct train_request request = {.data = others,
                                    .features = features,
                                    .one_at_a_time = true,
                                    .converges = !s->from_model,
                                    .options = &options,
                                    .error = &s->failed};
    temper_status status = train_fit(&request, s->model->loss, &result);
    s->stopped = result.interrupted;
    if (status == TEMPER_BAD_DATA) {
        status = TEMPER_OK;
    } else if (status != TEMPER_OK) {
        if (s->error)
            *s->error = s->failed;
    } else if (!s->stopped) {
        struct solution solution = {result.solution, s->model->vectors, !s->options->no_intercept};
        status = score_rows(s, &(struct row_scorer){features, solution, fold});
        /* Before the next fold, in which all processes take part. */
        status = comm_agree(s->data->ranks.comm, status, s->error);
    }
    train_fit_free(&result);
    dataset_free(others);
    return status;
}

bool fold_scores_abandoned(const struct fold_scores *s)
{
    return s->stopped || s->failed.status != TEMPER_OK;
}

/* Scores of the folds, one after another: each fit uses all threads, and calls back from the thread of the caller. */
temper_status fold_scores_fit(struct fold_scores *s)
{
    struct scaled_features features;
    size_t threads = s->options->threads ? s->options->threads : thread_count_default();
    TRY(scaled_features_new(s->data, s->options->scale, threads, &features, s->error));
    temper_status status = TEMPER_OK;
    for (uint32_t fold = 0; status == TEMPER_OK && fold < s->fitted && !fold_scores_abandoned(s); fold++)
        status = fit_fold(s, &features, fold);
    scaled_features_free(&features);
    return status;
}

/* The scores of the sampled rows of all processes into all[count * vectors]. The processes have different numbers of
 * sampled rows, so that these are gathered first. */
temper_status fold_scores_gather(const struct fold_scores *s, double *all)
{
    const temper_comm *comm = s->data->ranks.comm;
    size_t each = s->model->vectors * sizeof *all;
    uint64_t own = s->to - s->from, *rows = mem_alloc(comm_size(comm), sizeof *rows);
    size_t *bytes = mem_alloc(comm_size(comm), sizeof *bytes);
    temper_status status = rows && bytes ? TEMPER_OK : error_no_memory(s->error);
    status = comm_agree(comm, status, s->error);
    if (status == TEMPER_OK && rows && bytes) { /* in all processes */
        status = comm_gather_each(comm, &own, sizeof own, rows, s->error);
        for (size_t r = 0; status == TEMPER_OK && r < comm_size(comm); r++)
            bytes[r] = (size_t)rows[r] * each;
        if (status == TEMPER_OK)
            status = comm_gather(comm, s->score, bytes, all, s->error);
    }
    mem_free(rows);
    mem_free(bytes);
    return status;
}

temper_status fold_scores_by_model(struct fold_scores *s)
{
    return score_rows(s, &(struct row_scorer){.features = NULL});
}
