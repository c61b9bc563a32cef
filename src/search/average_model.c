/* average_model: one linear model from all candidates that are as accurate as the choice.
 *
 * Cross-validation cannot tell these candidates apart, so that taking one of them is partly chance; their mean varies
 * less. Losses and penalties give weights of different size, and the size of a model's weights changes no prediction of
 * its own. So each model is divided by the root mean square of its scores on the rows (less their mean over the
 * classes) before the mean is taken: then all have an equal say, whatever the units of the features. The mean is
 * multiplied by the root mean square of the choice, whose loss turns scores into probabilities. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "predict/evaluate.h"
#include "predict/predict.h"
#include "search/tune_state.h"

/* The candidates besides the choice, fitted to all rows. */
struct averaged_fits {
    struct tune_state *t;
    size_t *candidate;
    size_t count, done, size, vectors;
    struct fit_spec *fit;
    double *w;   /* [fit][size]: averaged in this order, whatever the order in which fits end */
    double *rms; /* of the scores of each fit */
};

/* ---- The size of scores ---------------------------------------------------------------------- */

/* The scores of the rows of this process: [row * vectors + k]. */
struct row_scores {
    const double *score;
    size_t rows, vectors;
};

struct score_sums {
    double squares, count;
};

/* Adds the rows of this process to the sums of those before it (comm_in_turn). For two classes there is one score, the
 * difference, and no mean to subtract. */
static void add_scores(void *context, void *state)
{
    const struct row_scores *scores = context;
    struct score_sums *sums = state;
    for (size_t row = 0; row < scores->rows; row++) {
        const double *a = scores->score + row * scores->vectors;
        double mean = 0;
        for (size_t k = 0; scores->vectors > 1 && k < scores->vectors; k++)
            mean += a[k] / (double)scores->vectors;
        for (size_t k = 0; k < scores->vectors; k++)
            sums->squares += (a[k] - mean) * (a[k] - mean);
        sums->count += (double)scores->vectors;
    }
}

/* The root mean square over the rows of all processes. */
static temper_status score_size(const struct tune_request *request, struct row_scores scores, double *rms)
{
    struct score_sums sums = {0};
    TRY(comm_in_turn(request->data->ranks.comm, add_scores, &scores, &sums, sizeof sums, request->error));
    *rms = sqrt(sums.squares / sums.count);
    return TEMPER_OK;
}

/* ---- Fits ------------------------------------------------------------------------------------ */

/* Lists the candidates that are as accurate as the choice on the folds: neither worse nor better. Where the rule has
 * overruled the accuracy, more accurate candidates are those that it has rejected. */
static void list_equals(struct averaged_fits *fits)
{
    const struct tune_state *t = fits->t;
    const struct crossval_table *table = &t->table;
    for (size_t i = 0; i < table->count; i++) {
        if (i == t->selection.best || table->candidate[i].stage != STAGE_FOLDS)
            continue;
        struct paired_difference behind =
            outcome_difference(&table->outcomes, OUTCOMES_FOLDS, t->selection.best, i, t->setup.cv.weight);
        if (outcomes_are_equal(behind))
            fits->candidate[fits->count++] = i;
    }
}

/* Keeps the weights of a fit, and the size of its scores (fits_job.ended). */
static temper_status take_fit(void *context, const struct fit_end *end, temper_error *error)
{
    struct averaged_fits *fits = context;
    const struct tune_request *request = &fits->t->request;
    struct row_scores scores = {end->activation, (size_t)request->data->x.rows, fits->vectors};
    (void)error; /* that of the request is the same */
    memcpy(fits->w + end->fit * fits->size, end->w, fits->size * sizeof *fits->w);
    fits->done++;
    return score_size(request, scores, &fits->rms[end->fit]);
}

/* fits_job.goes_on: false after the user has stopped the search. */
static bool keep_going(void *context)
{
    const struct averaged_fits *fits = context;
    return tune_report_progress(fits->t, fits->done);
}

/* Fits the listed candidates on all rows, each from zero. */
static temper_status run_fits(struct averaged_fits *fits, bool *finished)
{
    struct tune_state *t = fits->t;
    for (size_t i = 0; i < fits->count; i++) {
        const temper_tune_candidate *candidate = &t->table.candidate[fits->candidate[i]];
        fits->fit[i] = (struct fit_spec){.loss = candidate->loss,
                                         .l2 = candidate->l2,
                                         .l1 = candidate->l1,
                                         .part = FIT_SEES_ALL,
                                         .after = FIT_BEGINS_AT_ZERO};
    }
    struct fits_job job = {.features = &t->setup.features,
                           .partition = t->setup.cv.partition,
                           .fit = fits->fit,
                           .count = fits->count,
                           .options = &t->request.train,
                           .threads = t->request.train.threads,
                           .ended = take_fit,
                           .goes_on = keep_going,
                           .context = fits};
    return fits_run(&job, finished, t->request.error);
}

/* ---- The mean -------------------------------------------------------------------------------- */

/* The size of the scores of the chosen model, which has weights for unscaled features. */
static temper_status chosen_size(const struct tune_state *t, double *rms)
{
    const struct tune_request *request = &t->request;
    size_t rows = (size_t)request->data->x.rows, vectors = t->model->vectors;
    double *score = mem_alloc(rows, vectors * sizeof *score);
    temper_status status = score ? decide(t->model, &request->data->x, request->train.threads, score, request->error)
                                 : error_no_memory(request->error);
    status = comm_agree(request->data->ranks.comm, status, request->error);
    if (status == TEMPER_OK)
        status = score_size(request, (struct row_scores){score, rows, vectors}, rms);
    mem_free(score);
    return status;
}

/* model += factor * other, where `other` is the model of one fit, converted from scaled to raw features, and `factor`
 * brings its scores to the size of the choice and divides by the number of models. `raw` is space for its weights and
 * intercepts. */
static void add_model(struct averaged_fits *fits, size_t number, double factor, double *raw)
{
    struct tune_state *t = fits->t;
    struct model *model = t->model;
    size_t weights = model->vectors * model->features;
    struct solution solution = {fits->w + number * fits->size, fits->vectors, !t->request.train.no_intercept};
    memset(raw, 0, (weights + model->vectors) * sizeof *raw);
    scaled_features_raw_weights(&t->setup.features, solution,
                                (struct raw_weights){raw, 1, model->features, raw + weights});
    for (size_t i = 0; i < weights; i++)
        model->weights[i] += factor * raw[i];
    for (size_t k = 0; k < model->vectors; k++)
        model->bias[k] += factor * raw[weights + k];
}

/* Replaces the weights of t->model by the mean. Its scores have the size of the selected model's, whose calibration
 * stays. A model whose scores are all 0 has no direction to contribute. */
static temper_status take_mean(struct averaged_fits *fits)
{
    struct tune_state *t = fits->t;
    struct model *model = t->model;
    size_t numbers = model->vectors * (model->features + 1), usable = 1;
    double size = 0, *raw = mem_alloc(numbers, sizeof *raw);
    temper_status status = raw ? chosen_size(t, &size) : error_no_memory(t->request.error);
    for (size_t i = 0; i < fits->count; i++)
        usable += fits->rms[i] > 0;
    if (status == TEMPER_OK) {
        for (size_t i = 0; i < model->vectors * model->features; i++)
            model->weights[i] /= (double)usable;
        for (size_t k = 0; k < model->vectors; k++)
            model->bias[k] /= (double)usable;
        for (size_t i = 0; i < fits->count; i++)
            if (fits->rms[i] > 0)
                add_model(fits, i, size / fits->rms[i] / (double)usable, raw);
        t->report.averaged = usable;
    }
    mem_free(raw);
    return status;
}

/* ---- The report ------------------------------------------------------------------------------ */

/* The penalty of a model: l2 / 2 times the squares of its weights for scaled features, plus l1 times their sizes. The
 * model has weights for raw features, and a scaled feature is the raw one times the factor, so that its weight is the
 * raw one divided by the factor. */
static double penalty_of(const struct model *model)
{
    double squares = 0, absolute = 0;
    for (size_t i = 0; i < model->vectors * model->features; i++) {
        double w = model->weights[i] / (model->scale.factor ? model->scale.factor[i % model->features] : 1);
        squares += w * w;
        absolute += fabs(w);
    }
    return 0.5 * model->l2 * squares + model->l1 * absolute;
}

/* The rows of this process, and space for two numbers for each class. */
struct mean_rows {
    const struct dataset *data;
    const struct model *model;
    const double *score;
    double *space;
};

struct mean_sums {
    double weight, loss, correct;
};

/* Adds the rows of this process to the sums of those before it (comm_in_turn). */
static void add_losses(void *context, void *state)
{
    const struct mean_rows *rows = context;
    const struct dataset *data = rows->data;
    struct mean_sums *sums = state;
    for (size_t row = 0; row < (size_t)data->x.rows; row++) {
        const double *a = rows->score + row * rows->model->vectors;
        double weight = data->weight ? data->weight[row] : 1;
        sums->weight += weight;
        sums->loss += weight * model_row_loss(rows->model, a, data->label[row], rows->space);
        sums->correct += predicted_class(rows->model, a) == data->label[row] ? weight : 0;
    }
}

/* Accuracy, loss and objective of the mean, in the model and in the report. The others (gradient, iterations, stop)
 * describe the fit of the choice. */
static temper_status describe_mean(struct tune_state *t)
{
    const struct tune_request *request = &t->request;
    struct model *model = t->model;
    temper_train_report *report = &t->report.training;
    double *score = mem_alloc((size_t)request->data->x.rows, model->vectors * sizeof *score);
    double *space = mem_alloc(model->classes.count, 2 * sizeof *space);
    temper_status status = score && space
                               ? decide(model, &request->data->x, request->train.threads, score, request->error)
                               : error_no_memory(request->error);
    struct mean_rows rows = {request->data, model, score, space};
    struct mean_sums sums = {0};
    status = comm_agree(request->data->ranks.comm, status, request->error);
    if (status == TEMPER_OK)
        status = comm_in_turn(request->data->ranks.comm, add_losses, &rows, &sums, sizeof sums, request->error);
    if (status == TEMPER_OK) {
        report->accuracy = model->training.accuracy = sums.correct / sums.weight;
        report->train_loss = model->training.loss = sums.loss / sums.weight;
        report->objective = model->training.objective = report->train_loss + penalty_of(model);
    }
    mem_free(score);
    mem_free(space);
    return status;
}

/* Fits the candidates that are as accurate as the choice to all rows, and replaces the weights of t->model by their
 * mean. With no such candidate, or if all of their scores are 0, the model stays as it is. */
temper_status tune_average(struct tune_state *t)
{
    size_t size = fits_size(&t->setup.features, &t->request.train);
    struct averaged_fits fits = {.t = t,
                                 .size = size,
                                 .vectors = fits_vectors(&t->setup.features),
                                 .candidate = mem_alloc(t->table.count, sizeof *fits.candidate)};
    temper_status status = TEMPER_OK;
    bool finished = true;
    if (fits.candidate)
        list_equals(&fits);
    fits.fit = mem_alloc(fits.count, sizeof *fits.fit);
    fits.w = mem_alloc(fits.count, size * sizeof *fits.w);
    fits.rms = mem_alloc(fits.count, sizeof *fits.rms);
    t->progress.phase = "average";
    t->progress.fits_before = t->progress.fits_planned;
    t->progress.fits_planned += fits.count;
    if (!fits.candidate || !fits.fit || !fits.w || !fits.rms)
        status = error_no_memory(t->request.error);
    if (status == TEMPER_OK && fits.count > 0)
        status = run_fits(&fits, &finished);
    if (status == TEMPER_OK && finished)
        status = take_mean(&fits);
    if (status == TEMPER_OK && finished && t->report.averaged > 1)
        status = describe_mean(t);
    if (t->progress.stopped) { /* the model is not the one that was asked for */
        model_free(t->model);
        t->model = NULL;
    }
    mem_free(fits.candidate);
    mem_free(fits.fit);
    mem_free(fits.w);
    mem_free(fits.rms);
    return status;
}
