/* crossval: many candidates on the way at once; each is measured when its last part has ended. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "search/crossval_internal.h"

/* Fits that are handed over together, if what is kept of their rows is not more than so many bytes:
 * what they share (a metric, tables of losses) is made once for all of them. */
enum { MOST_TOGETHER = 1200, LEAST_TOGETHER = 48 };
static const size_t BYTES_TOGETHER = (size_t)256 << 20;
enum { TOGETHER_SHARE = 8 }; /* of a limit of memory */

size_t crossval_parts(const struct crossval *cv, int stage)
{
    return stage == STAGE_HALVES ? 2 : cv->folds;
}

static bool goes_on(void *context)
{
    const struct batch *batch = context;
    return !batch->cv->goes_on || batch->cv->goes_on(batch->cv->context, batch->cv->done);
}

/* ---- Batches --------------------------------------------------------------------------------- */

static void batch_free(struct batch *batch)
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
    mem_free(batch->loss);
}

static bool trial_new(const struct batch *batch, size_t candidate, struct trial *trial)
{
    size_t rows = batch->cv->roll.own;
    trial->candidate = candidate;
    trial->left = batch->parts;
    trial->sums = mem_zeroed(batch->parts, sizeof *trial->sums);
    if (batch->stage != STAGE_HALVES)
        return trial->sums;
    trial->predicted[0] = mem_alloc(rows, sizeof **trial->predicted);
    trial->predicted[1] = mem_alloc(rows, sizeof **trial->predicted);
    trial->confidence = mem_alloc(rows, sizeof *trial->confidence);
    return trial->sums && trial->predicted[0] && trial->predicted[1] && trial->confidence;
}

static bool batch_new(struct batch *batch, const size_t *which)
{
    const struct crossval *cv = batch->cv;
    size_t parts = batch->parts, vectors = fits_vectors(cv->ground);
    batch->trial = mem_zeroed(batch->trials, sizeof *batch->trial);
    batch->fit = mem_alloc(batch->trials, parts * sizeof *batch->fit);
    batch->p = mem_alloc(cv->ground->data->classes.count, sizeof *batch->p);
    batch->trusted_activation = mem_alloc(cv->trusted.count, vectors * sizeof *batch->trusted_activation);
    batch->loss = mem_alloc(cv->roll.own, sizeof *batch->loss);
    bool room = batch->trial && batch->fit && batch->p && batch->trusted_activation && batch->loss;
    for (size_t i = 0; room && i < batch->trials; i++) {
        const temper_tune_candidate *candidate = &cv->table[which[i]];
        room = trial_new(batch, which[i], &batch->trial[i]);
        for (size_t part = 0; part < parts; part++)
            batch->fit[i * parts + part] = (struct fit_spec){
                candidate->loss, candidate->l2, (uint32_t)(batch->stage - 1), (uint32_t)part, FIT_BEGINS_AT_ZERO};
    }
    return room;
}

static temper_status run_batch(struct batch *batch, const size_t *which, bool *finished, temper_error *error)
{
    const struct crossval *cv = batch->cv;
    temper_status status = TEMPER_OK;
    if (!batch_new(batch, which))
        status = error_no_memory(error);
    struct fits_job job = {.features = cv->ground,
                           .partition = cv->partition,
                           .fit = batch->fit,
                           .count = batch->trials * batch->parts,
                           .options = cv->train,
                           .threads = cv->threads,
                           .ended = crossval_fit_ended,
                           .goes_on = goes_on,
                           .context = batch};
    if (status == TEMPER_OK)
        status = fits_run(&job, finished, error);
    batch_free(batch);
    return status;
}

/* Candidates at once. */
static size_t trials_together(const struct dataset *data, size_t parts)
{
    size_t row = 2 * sizeof(uint16_t) + sizeof(double); /* of a trial: see struct trial */
    size_t bytes = BYTES_TOGETHER, least = LEAST_TOGETHER;
    if (data->storage.memory_limit) { /* fits do not depend on their company */
        size_t share = (size_t)(data->storage.memory_limit / TOGETHER_SHARE);
        bytes = share < bytes ? share : bytes;
        least = 1;
    }
    size_t affordable = bytes / row / (size_t)dataset_all_rows(data) * parts;
    size_t fits = affordable > MOST_TOGETHER ? MOST_TOGETHER : affordable < least ? least : affordable;
    return parts > 0 && parts < fits ? fits / parts : 1;
}

size_t crossval_most_fits(const struct dataset *data)
{
    return 2 * trials_together(data, 2) + 1;
}

size_t crossval_trial_bytes(const struct dataset *data)
{
    return (2 * sizeof(uint16_t) + sizeof(double)) * trials_together(data, 2);
}

temper_status crossval_run(struct crossval *cv, int stage, const size_t *which, size_t count, bool *finished,
                           temper_error *error)
{
    size_t parts = crossval_parts(cv, stage);
    size_t together = trials_together(cv->ground->data, parts);
    temper_status status = TEMPER_OK;
    *finished = true;
    for (size_t i = 0; status == TEMPER_OK && *finished && i < count; i += together) {
        size_t trials = count - i < together ? count - i : together;
        struct batch batch = {.cv = cv, .stage = stage, .parts = parts, .trials = trials};
        status = run_batch(&batch, which + i, finished, error);
    }
    return status;
}

/* ---- Before all ------------------------------------------------------------------------------ */

static temper_status take_weights(struct crossval *cv, temper_error *error)
{
    const struct gathered_labels *roll = &cv->roll;
    double sum = 0, squares = 0, count = 0;
    cv->weight = mem_alloc(roll->rows, sizeof *cv->weight);
    if (!cv->weight)
        return error_no_memory(error);
    for (size_t row = 0; row < roll->rows; row++) {
        cv->weight[row] = roll->weight ? roll->weight[row] : 1;
        sum += cv->weight[row];
        squares += cv->weight[row] * cv->weight[row];
        count += cv->weight[row] > 0;
    }
    for (size_t row = 0; row < roll->rows; row++)
        cv->weight[row] *= count / sum;
    cv->rows = sum / squares * sum;
    return TEMPER_OK;
}

static temper_status draw_folds(struct crossval *cv, const struct dataset *all, temper_error *error)
{
    struct split_how how = {cv->train->seed, true};
    temper_status status = split_folds(all, 2, how, &cv->partition[0], error);
    return status == TEMPER_OK ? split_folds(all, cv->folds, how, &cv->partition[1], error) : status;
}

static temper_status take_folds(struct crossval *cv, const struct dataset *all, temper_error *error)
{
    temper_status status = split_given(all, cv->fold, cv->folds, &cv->partition[1], error);
    return status == TEMPER_OK ? split_halve(&cv->partition[1], &cv->partition[0], error) : status;
}

temper_status crossval_prepare(struct crossval *cv, char *note, temper_error *error)
{
    temper_status status = gathered_labels_needed(cv->ground->data, &cv->roll, error);
    if (status == TEMPER_OK)
        status = take_weights(cv, error);
    cv->fold_accuracy = mem_alloc(cv->count, cv->folds * sizeof *cv->fold_accuracy);
    if (status == TEMPER_OK && !cv->fold_accuracy)
        status = error_no_memory(error);
    if (status != TEMPER_OK)
        return status;
    const struct dataset all = gathered_labels_dataset(&cv->roll, cv->ground->data);
    status = cv->fold ? take_folds(cv, &all, error) : draw_folds(cv, &all, error);
    if (status != TEMPER_OK)
        return status;
    for (size_t i = 0; i < cv->count * cv->folds; i++)
        cv->fold_accuracy[i] = NAN;
    memcpy(note, cv->partition[1].note, sizeof cv->partition[1].note);
    return TEMPER_OK;
}

void crossval_free(struct crossval *cv)
{
    gathered_labels_free(&cv->roll);
    split_free(&cv->partition[0]);
    split_free(&cv->partition[1]);
    mem_free(cv->weight);
    mem_free(cv->fold_accuracy);
}
