/* final_fit: the model of the selected candidate, from all rows.
 *
 * Bounded losses have more than one optimum. If the final fit ends in another one than the fits by which the candidate
 * was selected, then it is not the model that was selected: it is fitted again from the mean of the fold models. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "predict/predict.h"
#include "search/out_of_fold/calibrate.h"
#include "search/tune_state.h"
#include "tempered/loss_family.h"
#include "train/train.h"

/* Tolerated share of rows that the final model predicts differently than a fold model, beyond the mean difference
 * between two fold models. */
static const double OTHER_OPTIMUM = 0.02;

/* ---- Fold models ----------------------------------------------------------------------------- */

/* The fits of one candidate on all parts of a partition, in progress. */
struct fold_models_job {
    struct tune_state *t;
    struct fold_models *models;
    double *w; /* [part][size]: averaged in this order at the end, whatever the order in which fits end */
    size_t size, done;
};

/* Keeps the predicted classes and the weights of a fit (fits_job.ended). */
static temper_status take_fold(void *context, const struct fit_end *end, temper_error *error)
{
    struct fold_models_job *job = context;
    size_t rows = job->models->rows, vectors = fits_vectors(&job->t->setup.features);
    double confidence;
    (void)error;
    for (size_t row = 0; row < rows; row++)
        job->models->predicted[end->fit * rows + row] =
            (uint16_t)predicted_with_confidence(end->activation + row * vectors, vectors, &confidence);
    memcpy(job->w + end->fit * job->size, end->w, job->size * sizeof *job->w);
    job->done++;
    return TEMPER_OK;
}

/* Reports the fits done in this phase; tune_report_progress adds those of the earlier phases. */
static bool keep_going(void *context)
{
    const struct fold_models_job *job = context;
    return tune_report_progress(job->t, job->done);
}

/* Runs the fits, then averages their weights. The mean is taken in the order of the parts, so that its bits do not
 * depend on the order in which fits end. `fit` is space for one entry per part. */
static temper_status run_folds(struct fold_models_job *job, size_t candidate, int stage, struct fit_spec *fit,
                               bool *finished)
{
    struct tune_state *t = job->t;
    const temper_tune_candidate *chosen = &t->table.candidate[candidate];
    size_t parts = job->models->parts;
    /* Partition 0 is that of the halves, 1 that of the folds; every fit starts from zero, as in the search. */
    for (size_t i = 0; i < parts; i++)
        fit[i] = (struct fit_spec){.loss = chosen->loss,
                                   .l2 = chosen->l2,
                                   .l1 = chosen->l1,
                                   .partition = (uint32_t)(stage - 1),
                                   .part = (uint32_t)i,
                                   .after = FIT_BEGINS_AT_ZERO};
    struct fits_job fits = {.features = &t->setup.features,
                            .partition = t->setup.cv.partition,
                            .fit = fit,
                            .count = parts,
                            .options = &t->request.train,
                            .threads = t->request.train.threads,
                            .converges = true,
                            .ended = take_fold,
                            .goes_on = keep_going,
                            .context = job};
    TRY(fits_run(&fits, finished, t->request.error));
    for (size_t j = 0; *finished && j < job->size; j++) {
        job->models->mean[j] = 0;
        for (size_t i = 0; i < parts; i++)
            job->models->mean[j] += job->w[i * job->size + j] / (double)parts;
    }
    return TEMPER_OK;
}

/* Fits one candidate on all parts of a stage. On success the caller owns *out, even if the fits were stopped (*finished
 * is false) and its contents are incomplete; on failure *out is untouched. The predictions of the fold models for all
 * rows, and the mean of their weights, from which the final fit may start. */
temper_status fold_models_fit(struct tune_state *t, size_t candidate, int stage, struct fold_models *out,
                              bool *finished)
{
    size_t parts = crossval_parts(&t->setup.cv, stage), size = fits_size(&t->setup.features, &t->request.train);
    struct fold_models models = {.parts = parts, .rows = (size_t)t->request.data->x.rows};
    struct fold_models_job job = {.t = t, .models = &models, .size = size};
    struct fit_spec *fit = mem_alloc(parts, sizeof *fit);
    job.w = mem_alloc(parts, size * sizeof *job.w);
    models.predicted = mem_alloc(parts, models.rows * sizeof *models.predicted);
    models.mean = mem_alloc(size, sizeof *models.mean);
    temper_status status = TEMPER_NO_MEMORY;
    if (fit && job.w && models.predicted && models.mean)
        status = run_folds(&job, candidate, stage, fit, finished);
    else
        error_no_memory(t->request.error);
    mem_free(fit);
    mem_free(job.w);
    if (status == TEMPER_OK)
        *out = models;
    else
        fold_models_free(&models);
    return status;
}

void fold_models_free(struct fold_models *models)
{
    mem_free(models->predicted);
    mem_free(models->mean);
    *models = (struct fold_models){0};
}

/* ---- Agreement ------------------------------------------------------------------------------- */

/* The share of rows, among those of all processes, on which two arrays of predicted classes differ. Unweighted: it
 * compares models, not their accuracy. */
static temper_status difference(const struct tune_request *request, const uint16_t *a, const uint16_t *b, double *share)
{
    uint64_t here = 0, all;
    for (size_t row = 0; row < (size_t)request->data->x.rows; row++)
        here += a[row] != b[row];
    TRY(comm_count(request->data->ranks.comm, here, NULL, &all, request->error));
    *share = (double)all / (double)dataset_all_rows(request->data);
    return TEMPER_OK;
}

/* The mean difference between two fold models over all pairs: how much models differ that saw different rows. The final
 * model is expected to differ from them about as much. Where the final model differs from the fold models by much more
 * than that, it has probably ended in another optimum. */
static temper_status difference_among(const struct tune_request *request, const struct fold_models *models,
                                      double *mean)
{
    double sum = 0, share = 0;
    size_t pairs = 0;
    for (size_t i = 0; i < models->parts; i++)
        for (size_t j = i + 1; j < models->parts; j++, pairs++) {
            TRY(difference(request, models->predicted + i * models->rows, models->predicted + j * models->rows,
                           &share));
            sum += share;
        }
    *mean = sum / (double)pairs;
    return TEMPER_OK;
}

/* The mean difference between a model and the fold models. The folds' predictions include rows that they were fitted
 * on, as do those of the model. */
static temper_status difference_from(const struct tune_request *request, const struct fold_models *models,
                                     const struct model *model, double *out)
{
    size_t rows = models->rows, vectors = model->vectors;
    double *a = mem_alloc(rows, vectors * sizeof *a), confidence, share = 0, sum = 0;
    uint16_t *predicted = mem_alloc(rows, sizeof *predicted);
    temper_status status = TEMPER_NO_MEMORY;
    if (a && predicted)
        /* The model has weights for unscaled features, so it is applied to the data as given. */
        status = decide(model, &request->data->x, request->train.threads, a, request->error);
    else
        error_no_memory(request->error);
    for (size_t row = 0; status == TEMPER_OK && row < rows; row++)
        predicted[row] = (uint16_t)predicted_with_confidence(a + row * vectors, vectors, &confidence);
    for (size_t i = 0; status == TEMPER_OK && i < models->parts; i++) {
        status = difference(request, models->predicted + i * rows, predicted, &share);
        sum += share;
    }
    *out = sum / (double)models->parts;
    mem_free(a);
    mem_free(predicted);
    return status;
}

/* ---- The final fit --------------------------------------------------------------------------- */

/* The callback of train(); a result other than 0 ends the training. The final fit counts as one fit, in progress
 * until it ends. */
static int report_progress(void *context, const temper_train_progress *progress)
{
    struct tune_state *t = context;
    (void)progress;
    return !tune_report_progress(t, 0);
}

/* The options of the final fit, from `warm` or, if that is NULL, from zero. */
static temper_train_options final_options(struct tune_state *t, const struct model *warm)
{
    const temper_tune_candidate *chosen = &t->table.candidate[t->selection.best];
    temper_train_options options = t->request.train;
    options.loss = chosen->loss;
    options.l2 = chosen->l2;
    options.l1 = chosen->l1;
    options.warm_start = (const temper_model *)warm;
    if (warm)
        options.init = NULL; /* of the first fit */
    options.on_progress = report_progress;
    options.progress_context = t;
    return options;
}

/* Trains the selected candidate on all rows. Losses that may have several minima get a second start: training warns if
 * the two end in different ones. The first one is kept, as it was in the folds: the other may
 * have the lower objective because it has learnt wrong labels. */
static temper_status train_final(struct tune_state *t, const struct model *warm, struct model **model,
                                 temper_train_report *report)
{
    temper_train_options options = final_options(t, warm);
    struct train_request request = {.data = t->request.data, .options = &options, .error = t->request.error};
    /* Training warns if they end in different optima. */
    if (loss_needs_second_start(options.loss) && options.starts < 2) {
        options.starts = 2;
        request.keeps_first = true;
    }
    return train_model(&request, model, report);
}

/* Makes a model of the mean fold weights that train() accepts as a warm start: class names, kind of scaling, and
 * weights for unscaled features. *out is owned by the caller. It is not fit for predictions elsewhere. */
static temper_status mean_model(const struct tune_state *t, const struct fold_models *models, struct model **out)
{
    const struct classes *classes = &t->request.data->classes;
    struct model *model;
    temper_status status = model_new(classes->count, (size_t)t->request.data->x.columns, &model, t->request.error);
    if (status != TEMPER_OK)
        return status;
    for (size_t c = 0; c < classes->count; c++)
        if (classes_add(&model->classes, classes->name[c], strlen(classes->name[c])) >= CLASSES_FULL) {
            model_free(model);
            return error_no_memory(t->request.error);
        }
    /* The weights are given for unscaled features; the kind of scaling is needed where the logarithm of the features
     * is taken. */
    model->scale.kind = t->setup.features.scale.kind;
    scaled_features_raw_weights(&t->setup.features,
                                (struct solution){models->mean, model->vectors, !t->request.train.no_intercept},
                                (struct raw_weights){model->weights, 1, model->features, model->bias});
    *out = model;
    return TEMPER_OK;
}

/* Fits again from the mean of the fold models. The new model replaces t->model if it differs from the folds by less
 * than `before`, the difference of the first one, or if there is no first one. */
static temper_status refit(struct tune_state *t, const struct fold_models *models, double before)
{
    struct model *mean = NULL, *again = NULL;
    temper_train_report report;
    double after = 1;
    temper_status status = mean_model(t, models, &mean);
    if (status != TEMPER_OK)
        return status;
    status = train_final(t, mean, &again, &report);
    model_free(mean);
    /* Training refuses a fit that has learnt nothing; the first model then stays. */
    if (status == TEMPER_BAD_DATA && t->model)
        return TEMPER_OK;
    if (status == TEMPER_OK)
        status = difference_from(&t->request, models, again, &after);
    /* Closer to the fold models than the first model: it replaces the first, with its report. */
    if (status == TEMPER_OK && (after < before || !t->model)) {
        model_free(t->model);
        t->model = again;
        t->report.training = report;
        t->report.refitted = 1;
        again = NULL;
    }
    model_free(again);
    return status;
}

/* Compares the model of all rows with the fold models, and fits again if they differ too much. Without a model
 * (t->model is NULL) the difference counts as 1, so that a refit always follows. */
static temper_status check_agreement(struct tune_state *t, const struct fold_models *models)
{
    /* own: the mean difference between two fold models; apart: that of the final model from them. */
    double apart = 1, own;
    temper_status status = difference_among(&t->request, models, &own);
    if (status == TEMPER_OK && t->model)
        status = difference_from(&t->request, models, t->model, &apart);
    /* The usual case: as close to the fold models as these are to each other. */
    if (status != TEMPER_OK || !(apart > own + OTHER_OPTIMUM))
        return status;
    status = refit(t, models, apart);
    if (status == TEMPER_OK && !t->progress.stopped)
        warning_append(&t->report.warnings, TEMPER_WARNING_FOLDS_DISAGREE,
                       "the fit on all rows ended in another optimum than those of the folds (%.1f %% of the rows are "
                       "predicted differently, %.1f %% among the folds); %s",
                       100 * apart, 100 * own,
                       t->report.refitted ? "it was repeated from the mean of the fold models"
                                          : "starting from their mean ended there too: look at the rows with "
                                            "'temper audit'");
    return status;
}

/* Training refuses a model that is no better than one without features (TEMPER_BAD_DATA). Here that means a bad
 * local minimum rather than bad data, since the folds of the same candidate were accepted; so it leads to a refit
 * too. */
temper_status tune_fit_all_rows(struct tune_state *t, const struct fold_models *models)
{
    temper_status status = train_final(t, NULL, &t->model, &t->report.training);
    bool learnt_nothing = status == TEMPER_BAD_DATA; /* unlike the folds */
    if ((status == TEMPER_OK || learnt_nothing) && !t->progress.stopped)
        status = check_agreement(t, models);
    return status;
}

/* Calibrates the model as temper_train does, with the loss and the penalty of the selected candidate. */
static temper_status calibrate_final(struct tune_state *t)
{
    temper_train_options options = final_options(t, NULL);
    return calibrate_model(t->request.data, &options, t->model, &t->report.training, t->request.error);
}

/* Fits the folds of the selected candidate again, since the search has kept neither weights nor predictions, then
 * all rows. Warnings of the training are appended to those of the search where there is space for them. */
temper_status tune_final_fit(struct tune_state *t)
{
    struct fold_models models = {0};
    struct tune_progress *progress = &t->progress;
    size_t folds = t->setup.cv.folds;
    bool finished = true;
    /* Fits of this phase: the folds, then one on all rows. */
    progress->phase = "check";
    progress->fits_before = t->table.fits_done;
    progress->fits_planned = progress->fits_before + folds + 1;
    TRY(fold_models_fit(t, t->selection.best, STAGE_FOLDS, &models, &finished));
    progress->phase = "final fit";
    progress->fits_before += folds;
    temper_status status = TEMPER_OK;
    if (finished)
        status = tune_fit_all_rows(t, &models);
    if (status == TEMPER_OK && t->model && !t->progress.stopped)
        status = calibrate_final(t);
    if (t->model && t->progress.stopped) { /* an unfinished model is not the selected one */
        model_free(t->model);
        t->model = NULL;
    }
    const temper_warnings *of_training = &t->report.training.warnings;
    for (size_t i = 0; status == TEMPER_OK && i < of_training->count; i++)
        warning_append(&t->report.warnings, of_training->list[i].code, "%s", of_training->list[i].text);
    fold_models_free(&models);
    return status;
}
