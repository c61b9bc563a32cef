/* crossval: batches of candidates by parts of a partition; a candidate is measured when its last fit has ended. */
#include "search/crossval.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "predict/predict.h"
#include "search/half_split_stats.h"
#include "search/many_fits.h"

/* Fits of a batch, which share preconditioners and tables of losses: as many as keep so many bytes of results. */
enum { MOST_TOGETHER = 1200, LEAST_TOGETHER = 48 };
static const size_t BYTES_TOGETHER = (size_t)256 << 20;
enum { TOGETHER_SHARE = 8 }; /* one part in so many of a memory limit */

static const double LEAST_PROBABILITY = 1e-15; /* before taking logarithms */

/* Sums over the held-out rows of one fit. */
struct held_out_sums {
    double weight, correct, log_loss, brier;
    double trusted, trusted_right;
};

struct held_out_row {
    double log_loss, brier;
    bool held_out, correct;
};

/* One candidate in progress. */
struct crossval_trial {
    size_t candidate;
    size_t fits_left;
    struct held_out_sums *sums; /* of each part */
    uint16_t *predicted[2];     /* halves only: of the rows of this process */
    double *confidence;         /* the same */
};

/* The candidates that are fitted together. */
struct crossval_batch {
    const struct crossval *cv;
    struct crossval_table *table;
    const struct crossval_calls *calls;
    int stage;
    size_t parts;
    struct crossval_trial *trial;
    size_t trials;
    struct fit_spec *fit;           /* [trial * parts + part] */
    double *p, *trusted_activation; /* workspace: probabilities of a row, scores of trusted rows */
    struct held_out_row *row;       /* of the rows of this process, by one fit */
};

/* Two halves, or K folds: each part is left out by one fit. */
size_t crossval_parts(const struct crossval *cv, int stage)
{
    return stage == STAGE_HALVES ? 2 : cv->folds;
}

/* ---- One fit --------------------------------------------------------------------------------- */

uint32_t predicted_with_confidence(const double *a, size_t vectors, double *confidence)
{
    uint32_t best = 0;
    double next = -INFINITY;
    if (vectors == 1) {
        *confidence = fabs(a[0]);
        return a[0] > 0;
    }
    for (uint32_t k = 1; k < vectors; k++) {
        uint32_t loser = a[k] > a[best] ? best : k;
        best = a[k] > a[best] ? k : best;
        next = fmax(next, a[loser]);
    }
    *confidence = a[best] - next;
    return best;
}

/* One fit that has ended. */
struct ended_fit {
    struct crossval_batch *batch;
    struct crossval_trial *trial;
    const struct fit_end *end;
    uint32_t part;
};

/* The part of a row of this process; the partition is of the rows of all processes. */
static uint32_t part_of(const struct crossval_batch *batch, size_t row)
{
    const struct crossval *cv = batch->cv;
    return cv->partition[batch->stage - 1].part[cv->labels.first + row];
}

/* Logarithmic and Brier loss of the calibrated probabilities; NAN if the loss has none. */
static void measure_losses(const struct ended_fit *fit, const double *a, uint32_t label, struct held_out_row *out)
{
    const struct crossval_batch *batch = fit->batch;
    size_t classes = batch->cv->features->data->classes.count;
    const struct model model = {.vectors = fits_vectors(batch->cv->features),
                                .classes = {.count = classes},
                                .loss = batch->table->candidate[fit->trial->candidate].loss};
    double brier = 0, *p = batch->p;
    out->log_loss = out->brier = NAN;
    if (!model_has_probabilities(&model))
        return;
    predicted_probabilities(&model, a, true, p);
    for (size_t c = 0; c < classes; c++)
        brier += (p[c] - (c == label)) * (p[c] - (c == label));
    out->log_loss = log(fmax(p[label], LEAST_PROBABILITY));
    out->brier = classes == 2 ? brier / 2 : brier;
}

/* The halves keep predictions of all rows, and the confidence of the model that has not seen the row. */
static void measure_row(const struct ended_fit *fit, size_t row)
{
    struct crossval_batch *batch = fit->batch;
    const struct crossval *cv = batch->cv;
    struct crossval_trial *trial = fit->trial;
    struct held_out_row *out = &batch->row[row];
    size_t vectors = fits_vectors(cv->features);
    const double *a = fit->end->activation + row * vectors;
    bool halves = batch->stage == STAGE_HALVES;
    double confidence;
    *out = (struct held_out_row){.held_out = part_of(batch, row) == fit->part};
    if (!out->held_out && !halves)
        return;
    uint32_t predicted = predicted_with_confidence(a, vectors, &confidence), label = cv->features->data->label[row];
    if (halves)
        trial->predicted[fit->part][row] = (uint16_t)predicted;
    if (!out->held_out)
        return;
    if (halves)
        trial->confidence[row] = confidence;
    out->correct = predicted == label;
    if (cv->weight[cv->labels.first + row] > 0)
        measure_losses(fit, a, label, out);
}

/* Trusted rows of the data itself count where the model has not seen them. */
static void add_own_trusted(const struct ended_fit *fit, struct held_out_sums *sums)
{
    const struct crossval *cv = fit->batch->cv;
    const struct trusted_rows *trusted = &cv->trusted;
    size_t vectors = fits_vectors(cv->features);
    double confidence;
    for (size_t i = 0; trusted->row && i < trusted->count; i++) {
        size_t row = (size_t)trusted->row[i] - cv->labels.first;
        if (row >= cv->labels.own || part_of(fit->batch, row) != fit->part)
            continue;
        const double *a = fit->end->activation + row * vectors;
        sums->trusted++;
        sums->trusted_right += predicted_with_confidence(a, vectors, &confidence) == trusted->label[i];
    }
}

/* Continues the sums of the processes before this one, so that they do not depend on the number of processes. */
static void add_rows(void *context, void *state)
{
    const struct ended_fit *fit = context;
    const struct crossval *cv = fit->batch->cv;
    struct held_out_sums *sums = state;
    for (size_t i = 0; i < cv->labels.own; i++) {
        const struct held_out_row *row = &fit->batch->row[i];
        double weight = cv->weight[cv->labels.first + i];
        if (!row->held_out || !(weight > 0))
            continue;
        sums->weight += weight;
        sums->correct += row->correct ? weight : 0;
        sums->log_loss -= weight * row->log_loss;
        sums->brier += weight * row->brier;
    }
    add_own_trusted(fit, sums);
}

/* Every process has all rows of the trusted dataset. */
static temper_status add_other_trusted(const struct ended_fit *fit, struct held_out_sums *sums, temper_error *error)
{
    const struct crossval *cv = fit->batch->cv;
    const struct trusted_rows *trusted = &cv->trusted;
    size_t vectors = fits_vectors(cv->features);
    double *activation = fit->batch->trusted_activation, confidence;
    struct scaled_features features = *cv->features;
    struct solution solution = {fit->end->w, vectors, !cv->train->no_intercept};
    features.given = trusted->data;
    TRY(scaled_features_activations(&features, solution, 1, activation, error));
    for (size_t i = 0; i < trusted->count; i++) {
        uint32_t predicted = predicted_with_confidence(activation + i * vectors, vectors, &confidence);
        sums->trusted++;
        sums->trusted_right += predicted == trusted->data->label[i];
    }
    return TEMPER_OK;
}

/* ---- One candidate --------------------------------------------------------------------------- */

/* Adds the parts in their order. */
static void sum_parts(const struct crossval *cv, const struct crossval_trial *trial, size_t parts,
                      temper_tune_candidate *out)
{
    struct held_out_sums all = {0};
    for (size_t i = 0; i < parts; i++) {
        all.weight += trial->sums[i].weight;
        all.correct += trial->sums[i].correct;
        all.log_loss += trial->sums[i].log_loss;
        all.brier += trial->sums[i].brier;
        all.trusted += trial->sums[i].trusted;
        all.trusted_right += trial->sums[i].trusted_right;
    }
    out->accuracy = all.correct / all.weight;
    out->accuracy_error = sqrt(out->accuracy * (1 - out->accuracy) / cv->rows);
    out->log_loss = all.log_loss / all.weight;
    out->bounded_loss = all.brier / all.weight;
    out->trusted = all.trusted > 0 ? all.trusted_right / all.trusted : (double)NAN;
}

/* All that the selection rule needs besides accuracy is measured on the halves, since two models of disjoint rows
 * make independent mistakes. */
static temper_status measure_halves(const struct crossval *cv, uint16_t *const predicted[2], const double *confidence,
                                    temper_tune_candidate *candidate, temper_error *error)
{
    const struct half_split halves = {
        cv->labels.rows,       cv->features->data->classes.count, cv->labels.label, cv->weight,
        cv->partition[0].part, {predicted[0], predicted[1]},      confidence};
    return half_split_measure(&halves, candidate, error);
}

/* Several processes: ranks of confidence are among the rows of all. */
static temper_status measure_gathered_halves(const struct crossval *cv, const struct crossval_trial *trial,
                                             temper_tune_candidate *candidate, temper_error *error)
{
    const struct gathered_labels *labels = &cv->labels;
    uint16_t *predicted[2] = {mem_alloc(labels->rows, sizeof **predicted), mem_alloc(labels->rows, sizeof **predicted)};
    double *confidence = mem_alloc(labels->rows, sizeof *confidence);
    temper_status status = predicted[0] && predicted[1] && confidence ? TEMPER_OK : error_no_memory(error);
    for (size_t i = 0; status == TEMPER_OK && i < 2; i++)
        status = gather_labels(labels, trial->predicted[i], sizeof **predicted, predicted[i], error);
    if (status == TEMPER_OK)
        status = gather_labels(labels, trial->confidence, sizeof *confidence, confidence, error);
    if (status == TEMPER_OK)
        status = measure_halves(cv, predicted, confidence, candidate, error);
    mem_free(predicted[0]);
    mem_free(predicted[1]);
    mem_free(confidence);
    return status;
}

/* Two folds are the halves: then one stage serves as both. The stage is set last, so that a checkpoint never
 * contains a candidate that was measured in part. */
static temper_status finish_candidate(struct crossval_batch *batch, struct crossval_trial *trial, temper_error *error)
{
    const struct crossval *cv = batch->cv;
    const struct crossval_calls *calls = batch->calls;
    temper_tune_candidate *candidate = &batch->table->candidate[trial->candidate];
    bool folds = batch->stage == STAGE_FOLDS || cv->folds == 2;
    sum_parts(cv, trial, batch->parts, candidate);
    for (size_t i = 0; folds && i < batch->parts; i++)
        batch->table->fold_accuracy[trial->candidate * cv->folds + i] = trial->sums[i].correct / trial->sums[i].weight;
    if (batch->stage == STAGE_HALVES)
        TRY(comm_alone(cv->labels.comm) ? measure_halves(cv, trial->predicted, trial->confidence, candidate, error)
                                        : measure_gathered_halves(cv, trial, candidate, error));
    candidate->stage = folds ? STAGE_FOLDS : STAGE_HALVES;
    return calls->candidate_done ? calls->candidate_done(calls->context, trial->candidate, error) : TEMPER_OK;
}

/* Measures a fit on the rows that it has not seen, and the candidate if it was the last of its fits. */
static temper_status take_fit(void *context, const struct fit_end *end, temper_error *error)
{
    struct crossval_batch *batch = context;
    const struct crossval *cv = batch->cv;
    struct crossval_trial *trial = &batch->trial[end->fit / batch->parts];
    struct ended_fit fit = {batch, trial, end, (uint32_t)(end->fit % batch->parts)};
    struct held_out_sums *sums = &trial->sums[fit.part];
    for (size_t row = 0; row < cv->labels.own; row++)
        measure_row(&fit, row);
    TRY(comm_in_turn(cv->labels.comm, add_rows, &fit, sums, sizeof *sums, error));
    if (cv->trusted.data)
        TRY(add_other_trusted(&fit, sums, error));
    batch->table->fits_done++;
    return --trial->fits_left == 0 ? finish_candidate(batch, trial, error) : TEMPER_OK;
}

/* ---- Batches --------------------------------------------------------------------------------- */

/* Passes the number of fits to the caller. */
static bool keep_going(void *context)
{
    const struct crossval_batch *batch = context;
    const struct crossval_calls *calls = batch->calls;
    return !calls->keep_going || calls->keep_going(calls->context, batch->table->fits_done);
}

/* Of a batch that may be half built. */
static void batch_free(struct crossval_batch *batch)
{
    for (size_t i = 0; batch->trial && i < batch->trials; i++) {
        mem_free(batch->trial[i].sums);
        mem_free(batch->trial[i].predicted[0]);
        mem_free(batch->trial[i].predicted[1]);
        mem_free(batch->trial[i].confidence);
    }
    mem_free(batch->trial);
    mem_free(batch->fit);
    mem_free(batch->p);
    mem_free(batch->trusted_activation);
    mem_free(batch->row);
}

/* Predictions and confidences are kept for the halves alone; the folds need sums only. */
static bool trial_new(const struct crossval_batch *batch, size_t candidate, struct crossval_trial *trial)
{
    size_t rows = batch->cv->labels.own;
    trial->candidate = candidate;
    trial->fits_left = batch->parts;
    trial->sums = mem_zeroed(batch->parts, sizeof *trial->sums);
    if (batch->stage != STAGE_HALVES)
        return trial->sums;
    trial->predicted[0] = mem_alloc(rows, sizeof **trial->predicted);
    trial->predicted[1] = mem_alloc(rows, sizeof **trial->predicted);
    trial->confidence = mem_alloc(rows, sizeof *trial->confidence);
    return trial->sums && trial->predicted[0] && trial->predicted[1] && trial->confidence;
}

/* The fits of a candidate are next to each other: fit / parts is the trial, fit % parts the part that it leaves
 * out. */
static bool batch_new(struct crossval_batch *batch, const size_t *which)
{
    const struct crossval *cv = batch->cv;
    size_t parts = batch->parts, vectors = fits_vectors(cv->features);
    batch->trial = mem_zeroed(batch->trials, sizeof *batch->trial);
    batch->fit = mem_alloc(batch->trials, parts * sizeof *batch->fit);
    batch->p = mem_alloc(cv->features->data->classes.count, sizeof *batch->p);
    batch->trusted_activation = mem_alloc(cv->trusted.count, vectors * sizeof *batch->trusted_activation);
    batch->row = mem_alloc(cv->labels.own, sizeof *batch->row);
    bool allocated = batch->trial && batch->fit && batch->p && batch->trusted_activation && batch->row;
    for (size_t i = 0; allocated && i < batch->trials; i++) {
        const temper_tune_candidate *candidate = &batch->table->candidate[which[i]];
        allocated = trial_new(batch, which[i], &batch->trial[i]);
        for (size_t part = 0; part < parts; part++)
            batch->fit[i * parts + part] = (struct fit_spec){
                candidate->loss, candidate->l2, (uint32_t)(batch->stage - 1), (uint32_t)part, FIT_BEGINS_AT_ZERO};
    }
    return allocated;
}

/* All fits of the batch start from zero: results of other candidates as starting points would save iterations, but
 * the result would depend on which candidates are fitted together. */
static temper_status run_batch(struct crossval_batch *batch, const size_t *which, bool *finished, temper_error *error)
{
    const struct crossval *cv = batch->cv;
    temper_status status = batch_new(batch, which) ? TEMPER_OK : error_no_memory(error);
    struct fits_job job = {.features = cv->features,
                           .partition = cv->partition,
                           .fit = batch->fit,
                           .count = batch->trials * batch->parts,
                           .options = cv->train,
                           .threads = cv->train->threads,
                           .ended = take_fit,
                           .goes_on = keep_going,
                           .context = batch};
    if (status == TEMPER_OK)
        status = fits_run(&job, finished, error);
    batch_free(batch);
    return status;
}

enum { TRIAL_ROW_BYTES = 2 * sizeof(uint16_t) + sizeof(double) }; /* predictions and confidence */

/* Candidates of a batch. With a memory limit it may be a single one: results do not depend on it. */
static size_t trials_together(const struct dataset *data, size_t parts)
{
    size_t bytes = BYTES_TOGETHER, least = LEAST_TOGETHER;
    if (data->storage.memory_limit) {
        size_t share = (size_t)(data->storage.memory_limit / TOGETHER_SHARE);
        bytes = share < bytes ? share : bytes;
        least = 1;
    }
    size_t affordable = bytes / TRIAL_ROW_BYTES / (size_t)dataset_all_rows(data) * parts;
    size_t fits = affordable > MOST_TOGETHER ? MOST_TOGETHER : affordable < least ? least : affordable;
    return parts > 0 && parts < fits ? fits / parts : 1;
}

/* For the memory budget. */
size_t crossval_most_fits(const struct dataset *data)
{
    return 2 * trials_together(data, 2) + 1;
}

/* For the memory budget, of the stage that keeps most. */
size_t crossval_trial_bytes(const struct dataset *data)
{
    return TRIAL_ROW_BYTES * trials_together(data, 2);
}

/* Batches one after another; within one, the fits share passes over the rows, or threads. */
temper_status crossval_run(const struct crossval *cv, struct crossval_table *table, const struct crossval_stage *stage,
                           const struct crossval_calls *calls, bool *finished, temper_error *error)
{
    size_t parts = crossval_parts(cv, stage->stage), together = trials_together(cv->features->data, parts);
    *finished = true;
    for (size_t i = 0; *finished && i < stage->count; i += together) {
        size_t left = stage->count - i;
        struct crossval_batch batch = {.cv = cv,
                                       .table = table,
                                       .calls = calls,
                                       .stage = stage->stage,
                                       .parts = parts,
                                       .trials = left < together ? left : together};
        TRY(run_batch(&batch, stage->which + i, finished, error));
    }
    return TEMPER_OK;
}

/* ---- Preparation ----------------------------------------------------------------------------- */

/* Normalises the weights, and finds the effective number of rows, (sum w)^2 / sum w^2 (Kish). */
static temper_status take_weights(struct crossval *cv, temper_error *error)
{
    const struct gathered_labels *labels = &cv->labels;
    double sum = 0, squares = 0, count = 0;
    cv->weight = mem_alloc(labels->rows, sizeof *cv->weight);
    if (!cv->weight)
        return error_no_memory(error);
    for (size_t row = 0; row < labels->rows; row++) {
        cv->weight[row] = labels->weight ? labels->weight[row] : 1;
        sum += cv->weight[row];
        squares += cv->weight[row] * cv->weight[row];
        count += cv->weight[row] > 0;
    }
    for (size_t row = 0; row < labels->rows; row++)
        cv->weight[row] *= count / sum;
    cv->rows = sum / squares * sum;
    return TEMPER_OK;
}

/* Halves and folds are drawn, or the halves are the even and the odd folds of those given. */
temper_status crossval_prepare(struct crossval *cv, temper_error *error)
{
    struct split_options how = {cv->train->seed, true};
    TRY(gathered_labels_needed(cv->features->data, &cv->labels, error));
    TRY(take_weights(cv, error));
    const struct dataset all = gathered_labels_dataset(&cv->labels, cv->features->data);
    if (cv->given_fold) {
        TRY(split_given(&all, cv->given_fold, cv->folds, &cv->partition[1], error));
        return split_halve(&cv->partition[1], &cv->partition[0], error);
    }
    TRY(split_folds(&all, 2, how, &cv->partition[0], error));
    return split_folds(&all, cv->folds, how, &cv->partition[1], error);
}

void crossval_free(struct crossval *cv)
{
    gathered_labels_free(&cv->labels);
    split_free(&cv->partition[0]);
    split_free(&cv->partition[1]);
    mem_free(cv->weight);
}
