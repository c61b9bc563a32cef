/* tune_final: the model of the chosen setting, from all rows.
 *
 * Losses with a cap have more than one optimum. If the final fit goes to another one than the
 * models that were chosen by, then it is not what was chosen. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "predict/predict.h"
#include "search/tune_state.h"
#include "tempered/loss_family.h"
#include "train/train.h"

/* Beyond what the fold models differ among themselves. */
static const double ASTRAY = 0.02;

/* ---- The models of the folds ----------------------------------------------------------------- */

struct collecting {
    struct tuning *t;
    struct fold_models *models;
    double *w; /* [part][size]: sums are taken in their order at the end */
    size_t size, done;
};

static temper_status take_fold(void *context, const struct fit_end *end, temper_error *error)
{
    struct collecting *job = context;
    size_t rows = job->models->rows, vectors = fits_vectors(&job->t->ground);
    double confidence;
    (void)error;
    for (size_t row = 0; row < rows; row++)
        job->models->predicted[end->fit * rows + row] =
            (uint16_t)activations_winner(end->activation + row * vectors, vectors, &confidence);
    memcpy(job->w + end->fit * job->size, end->w, job->size * sizeof *job->w);
    job->done++;
    return TEMPER_OK;
}

static bool goes_on(void *context)
{
    const struct collecting *job = context;
    return tuning_goes_on(job->t, job->done);
}

static temper_status run_folds(struct collecting *job, size_t candidate, int stage, struct fit_spec *fit,
                               bool *finished)
{
    struct tuning *t = job->t;
    const temper_tune_candidate *chosen = &t->grid.table[candidate];
    size_t parts = job->models->parts;
    for (size_t i = 0; i < parts; i++)
        fit[i] = (struct fit_spec){chosen->loss, chosen->l2, (uint32_t)(stage - 1), (uint32_t)i, FIT_BEGINS_AT_ZERO};
    struct fits_job fits = {.features = &t->ground,
                            .partition = t->cv.partition,
                            .fit = fit,
                            .count = parts,
                            .options = &t->train,
                            .threads = t->train.threads,
                            .ended = take_fold,
                            .goes_on = goes_on,
                            .context = job};
    temper_status status = fits_run(&fits, finished, t->error);
    for (size_t j = 0; status == TEMPER_OK && *finished && j < job->size; j++) {
        job->models->mean[j] = 0;
        for (size_t i = 0; i < parts; i++)
            job->models->mean[j] += job->w[i * job->size + j] / (double)parts;
    }
    return status;
}

temper_status fold_models_fit(struct tuning *t, size_t candidate, int stage, struct fold_models *out, bool *finished)
{
    size_t parts = crossval_parts(&t->cv, stage), size = fits_size(&t->ground, &t->train);
    struct fold_models models = {.parts = parts, .rows = (size_t)t->data->x.rows};
    struct collecting job = {.t = t, .models = &models, .size = size};
    struct fit_spec *fit = mem_alloc(parts, sizeof *fit);
    job.w = mem_alloc(parts, size * sizeof *job.w);
    models.predicted = mem_alloc(parts, models.rows * sizeof *models.predicted);
    models.mean = mem_alloc(size, sizeof *models.mean);
    temper_status status = TEMPER_NO_MEMORY;
    if (fit && job.w && models.predicted && models.mean)
        status = run_folds(&job, candidate, stage, fit, finished);
    else
        error_no_memory(t->error);
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

/* The share of the rows of all processes. */
static temper_status difference(const struct tuning *t, const uint16_t *a, const uint16_t *b, double *share)
{
    uint64_t here = 0, all;
    for (size_t row = 0; row < (size_t)t->data->x.rows; row++)
        here += a[row] != b[row];
    temper_status status = comm_count(t->data->ranks.comm, here, NULL, &all, t->error);
    if (status == TEMPER_OK)
        *share = (double)all / (double)dataset_all_rows(t->data);
    return status;
}

/* Among themselves, mean over pairs. */
static temper_status own_difference(const struct tuning *t, const struct fold_models *models, double *mean)
{
    double sum = 0, share = 0;
    size_t pairs = 0;
    temper_status status = TEMPER_OK;
    for (size_t i = 0; i < models->parts; i++)
        for (size_t j = i + 1; status == TEMPER_OK && j < models->parts; j++, pairs++) {
            status = difference(t, models->predicted + i * models->rows, models->predicted + j * models->rows, &share);
            sum += share;
        }
    *mean = sum / (double)pairs;
    return status;
}

static temper_status difference_from(const struct tuning *t, const struct fold_models *models,
                                     const struct model *model, double *out)
{
    size_t rows = models->rows, vectors = model->vectors;
    double *a = mem_alloc(rows, vectors * sizeof *a), confidence, share = 0, sum = 0;
    uint16_t *predicted = mem_alloc(rows, sizeof *predicted);
    temper_status status = TEMPER_NO_MEMORY;
    if (a && predicted)
        status = decide(model, &t->data->x, t->train.threads, a, t->error);
    else
        error_no_memory(t->error);
    for (size_t row = 0; status == TEMPER_OK && row < rows; row++)
        predicted[row] = (uint16_t)activations_winner(a + row * vectors, vectors, &confidence);
    for (size_t i = 0; status == TEMPER_OK && i < models->parts; i++) {
        status = difference(t, models->predicted + i * rows, predicted, &share);
        sum += share;
    }
    *out = sum / (double)models->parts;
    mem_free(a);
    mem_free(predicted);
    return status;
}

/* ---- The final fit --------------------------------------------------------------------------- */

static int follow(void *context, const temper_train_progress *progress)
{
    struct tuning *t = context;
    (void)progress;
    return !tuning_goes_on(t, 0);
}

static temper_status train_final(struct tuning *t, const struct model *warm, struct model **model,
                                 temper_train_report *report)
{
    const temper_tune_candidate *chosen = &t->grid.table[t->answer.best];
    temper_train_options options = t->train;
    options.loss = chosen->loss;
    options.l2 = chosen->l2;
    options.warm_start = (const temper_model *)warm;
    if (loss_needs_second_start(chosen->loss) && options.starts < 2)
        options.starts = 2; /* to know whether they agree */
    options.on_progress = follow;
    options.progress_context = t;
    return train(t->data, &options, model, report, t->error);
}

/* As a model for train() to begin from: what it asks of one, and no more. */
static temper_status mean_model(const struct tuning *t, const struct fold_models *models, struct model **out)
{
    const struct classes *classes = &t->data->classes;
    struct model *model;
    temper_status status = model_new(classes->count, (size_t)t->data->x.columns, &model, t->error);
    if (status != TEMPER_OK)
        return status;
    for (size_t c = 0; c < classes->count; c++)
        if (classes_add(&model->classes, classes->name[c], strlen(classes->name[c])) >= CLASSES_FULL) {
            model_free(model);
            return error_no_memory(t->error);
        }
    model->scale.kind = t->ground.scale.kind;
    scaled_features_raw_weights(&t->ground, (struct solution){models->mean, model->vectors, !t->train.no_intercept},
                                (struct raw_weights){model->weights, 1, model->features, model->bias});
    *out = model;
    return TEMPER_OK;
}

/* From the mean of the fold models; kept if it stays nearer to them than `before`. Where nothing
 * can be learnt from there, there is nothing to keep. */
static temper_status refit(struct tuning *t, const struct fold_models *models, double before)
{
    struct model *mean = NULL, *again = NULL;
    temper_train_report report;
    double after = 1;
    temper_status status = mean_model(t, models, &mean);
    if (status != TEMPER_OK)
        return status;
    status = train_final(t, mean, &again, &report);
    model_free(mean);
    if (status == TEMPER_BAD_DATA && t->model)
        return TEMPER_OK;
    if (status == TEMPER_OK)
        status = difference_from(t, models, again, &after);
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

/* Whether the fit on all rows is like those of the folds; if not, once more from their mean. */
static temper_status check_agreement(struct tuning *t, const struct fold_models *models)
{
    double apart = 1, own;
    temper_status status = own_difference(t, models, &own);
    if (status == TEMPER_OK && t->model)
        status = difference_from(t, models, t->model, &apart);
    if (status != TEMPER_OK || !(apart > own + ASTRAY))
        return status;
    status = refit(t, models, apart);
    if (status == TEMPER_OK && !t->stopped)
        sentence_append(t->report.warnings, sizeof t->report.warnings,
                     "the fit on all rows went to another optimum than those of the folds (%.1f %% "
                     "of the rows predicted differently, %.1f %% among themselves); %s",
                     100 * apart, 100 * own,
                     t->report.refitted ? "it was begun again at the mean of the fold models"
                                        : "beginning at their mean led there too: look at the rows "
                                          "with 'temper audit'");
    return status;
}

temper_status tuning_fit_all(struct tuning *t, const struct fold_models *models)
{
    temper_status status = train_final(t, NULL, &t->model, &t->report.training);
    bool astray = status == TEMPER_BAD_DATA; /* nothing was learnt, unlike on the folds */
    if ((status == TEMPER_OK || astray) && !t->stopped)
        status = check_agreement(t, models);
    return status;
}

temper_status tuning_final(struct tuning *t)
{
    struct fold_models models = {0};
    bool finished = true;
    if (!t->wants_model)
        return TEMPER_OK;
    t->phase = "check";
    t->before = t->cv.done;
    t->planned = t->before + t->cv.folds + 1;
    temper_status status = fold_models_fit(t, t->answer.best, STAGE_FOLDS, &models, &finished);
    if (status != TEMPER_OK)
        return status;
    t->phase = "final fit";
    t->before += t->cv.folds;
    if (finished)
        status = tuning_fit_all(t, &models);
    if (t->model && t->stopped) { /* half a model is none that was chosen */
        model_free(t->model);
        t->model = NULL;
    }
    size_t used = strlen(t->report.warnings), length = strlen(t->report.training.warnings);
    if (status == TEMPER_OK && used + length < sizeof t->report.warnings)
        memcpy(t->report.warnings + used, t->report.training.warnings, length + 1);
    fold_models_free(&models);
    return status;
}
