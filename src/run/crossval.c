/* crossval: many candidates on the way at once; each is measured when its last part has ended. */
#include "run/crossval.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "run/fits.h"
#include "run/halves.h"
#include "run/predict.h"

/* Fits that are handed over together, if what is kept of their rows is not more than so many bytes:
 * what they share (a metric, tables of losses) is made once for all of them. */
enum { MOST_TOGETHER = 1200, LEAST_TOGETHER = 48 };
static const size_t BYTES_TOGETHER = (size_t)256 << 20;
enum { TOGETHER_SHARE = 8 };                   /* of a limit of memory */
static const double LEAST_PROBABILITY = 1e-15; /* for the logarithm */

/* What one fit gives, on the rows that it has not seen. */
struct sums {
    double weight, correct, log_loss, brier;
    double trusted, trusted_right;
};

/* One candidate on its way. */
struct trial {
    size_t candidate;
    size_t left; /* parts that have not ended */
    struct sums *sums;
    uint16_t *predicted[2]; /* of the halves only */
    double *confidence;
};

struct batch {
    struct crossval *cv;
    int stage;
    size_t parts;
    struct trial *trial;
    size_t trials;
    struct fit *fit;
    double *p, *trusted_activation; /* space */
};

size_t crossval_parts(const struct crossval *cv, int stage)
{
    return stage == STAGE_HALVES ? 2 : cv->folds;
}

/* ---- One row --------------------------------------------------------------------------------- */

uint32_t activations_winner(const double *a, size_t vectors, double *confidence)
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

/* Losses of calibrated probabilities; NAN where there are none. */
static void add_losses(struct batch *batch, const struct model *shape, const double *a,
                       uint32_t label, double weight, struct sums *sums)
{
    size_t classes = shape->classes.count;
    double brier = 0, *p = batch->p;
    if (!model_has_probabilities(shape)) {
        sums->log_loss = sums->brier = NAN;
        return;
    }
    predicted_probabilities(shape, a, true, p);
    for (size_t c = 0; c < classes; c++)
        brier += (p[c] - (c == label)) * (p[c] - (c == label));
    sums->log_loss -= weight * log(fmax(p[label], LEAST_PROBABILITY));
    sums->brier += weight * (classes == 2 ? brier / 2 : brier);
}

/* ---- One fit --------------------------------------------------------------------------------- */

static void add_row(struct batch *batch, struct trial *trial, const struct fit_end *end, size_t row,
                    uint32_t part)
{
    const struct crossval *cv = batch->cv;
    const struct dataset *data = cv->ground->data;
    size_t vectors = fits_vectors(cv->ground);
    const double *a = end->activation + row * vectors;
    double confidence, weight = cv->weight[row];
    bool unseen = cv->partition[batch->stage - 1].part[row] == part;
    struct sums *sums = &trial->sums[part];
    if (!unseen && batch->stage != STAGE_HALVES)
        return;
    uint32_t winner = activations_winner(a, vectors, &confidence);
    if (batch->stage == STAGE_HALVES)
        trial->predicted[part][row] = (uint16_t)winner;
    if (!unseen)
        return;
    if (batch->stage == STAGE_HALVES)
        trial->confidence[row] = confidence;
    if (weight > 0) {
        struct model shape = {.vectors = vectors,
                              .classes = {.count = data->classes.count},
                              .loss = cv->table[trial->candidate].loss};
        sums->weight += weight;
        sums->correct += winner == data->label[row] ? weight : 0;
        add_losses(batch, &shape, a, data->label[row], weight, sums);
    }
}

/* Trusted rows of the data itself count where the model has not seen them. */
static void add_trusted_own(const struct batch *batch, struct trial *trial,
                            const struct fit_end *end, uint32_t part)
{
    const struct crossval *cv = batch->cv;
    const struct trusted *trusted = &cv->trusted;
    size_t vectors = fits_vectors(cv->ground);
    double confidence;
    for (size_t i = 0; i < trusted->count; i++) {
        size_t row = (size_t)trusted->row[i];
        if (cv->partition[batch->stage - 1].part[row] != part)
            continue;
        const double *a = end->activation + row * vectors;
        trial->sums[part].trusted++;
        trial->sums[part].trusted_right +=
            activations_winner(a, vectors, &confidence) == trusted->label[i];
    }
}

static temper_status add_trusted_others(const struct batch *batch, struct trial *trial,
                                        const struct fit_end *end, uint32_t part,
                                        temper_error *error)
{
    const struct crossval *cv = batch->cv;
    const struct trusted *trusted = &cv->trusted;
    size_t vectors = fits_vectors(cv->ground);
    struct ground theirs = *cv->ground;
    struct solution solution = {end->w, vectors, !cv->train->no_intercept};
    double confidence;
    theirs.given = trusted->data;
    temper_status status =
        ground_activations(&theirs, solution, 1, batch->trusted_activation, error);
    for (size_t i = 0; status == TEMPER_OK && i < trusted->count; i++) {
        const double *a = batch->trusted_activation + i * vectors;
        trial->sums[part].trusted++;
        trial->sums[part].trusted_right +=
            activations_winner(a, vectors, &confidence) == trusted->data->label[i];
    }
    return status;
}

/* ---- One candidate --------------------------------------------------------------------------- */

static void total(const struct crossval *cv, const struct trial *trial, size_t parts,
                  temper_candidate *out)
{
    struct sums all = {0};
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

static temper_status finish(struct batch *batch, struct trial *trial, temper_error *error)
{
    struct crossval *cv = batch->cv;
    temper_candidate *candidate = &cv->table[trial->candidate];
    const struct dataset *data = cv->ground->data;
    temper_status status = TEMPER_OK;
    bool folds = batch->stage == STAGE_FOLDS || cv->folds == 2;
    total(cv, trial, batch->parts, candidate);
    for (size_t i = 0; folds && i < batch->parts; i++)
        cv->fold_accuracy[trial->candidate * cv->folds + i] =
            trial->sums[i].correct / trial->sums[i].weight;
    if (batch->stage == STAGE_HALVES) {
        struct halves halves = {(size_t)data->x.rows,  data->classes.count,
                                data->label,           cv->weight,
                                cv->partition[0].part, {trial->predicted[0], trial->predicted[1]},
                                trial->confidence};
        status = halves_measure(&halves, candidate, error);
    }
    candidate->stage = folds ? STAGE_FOLDS : STAGE_HALVES;
    return status == TEMPER_OK && cv->ended ? cv->ended(cv->context, trial->candidate, error)
                                            : status;
}

static temper_status fit_ended(void *context, const struct fit_end *end, temper_error *error)
{
    struct batch *batch = context;
    struct crossval *cv = batch->cv;
    struct trial *trial = &batch->trial[end->fit / batch->parts];
    uint32_t part = (uint32_t)(end->fit % batch->parts);
    temper_status status = TEMPER_OK;
    for (size_t row = 0; row < (size_t)cv->ground->data->x.rows; row++)
        add_row(batch, trial, end, row, part);
    if (cv->trusted.data)
        status = add_trusted_others(batch, trial, end, part, error);
    else
        add_trusted_own(batch, trial, end, part);
    cv->done++;
    return status == TEMPER_OK && --trial->left == 0 ? finish(batch, trial, error) : status;
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
}

static bool trial_new(const struct batch *batch, size_t candidate, struct trial *trial)
{
    size_t rows = (size_t)batch->cv->ground->data->x.rows;
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
    batch->trusted_activation =
        mem_alloc(cv->trusted.count, vectors * sizeof *batch->trusted_activation);
    bool room = batch->trial && batch->fit && batch->p && batch->trusted_activation;
    for (size_t i = 0; room && i < batch->trials; i++) {
        const temper_candidate *candidate = &cv->table[which[i]];
        room = trial_new(batch, which[i], &batch->trial[i]);
        for (size_t part = 0; part < parts; part++)
            batch->fit[i * parts + part] =
                (struct fit){candidate->loss, candidate->l2, (uint32_t)(batch->stage - 1),
                             (uint32_t)part, FIT_BEGINS_AT_ZERO};
    }
    return room;
}

static temper_status run_batch(struct batch *batch, const size_t *which, bool *finished,
                               temper_error *error)
{
    const struct crossval *cv = batch->cv;
    temper_status status = TEMPER_OK;
    if (!batch_new(batch, which))
        status = error_no_memory(error);
    struct fits_job job = {.ground = cv->ground,
                           .partition = cv->partition,
                           .fit = batch->fit,
                           .count = batch->trials * batch->parts,
                           .options = cv->train,
                           .threads = cv->threads,
                           .ended = fit_ended,
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
    if (data->memory) { /* fits do not depend on their company */
        size_t share = (size_t)(data->memory / TOGETHER_SHARE);
        bytes = share < bytes ? share : bytes;
        least = 1;
    }
    size_t affordable = bytes / row / (size_t)data->x.rows * parts;
    size_t fits = affordable > MOST_TOGETHER ? MOST_TOGETHER
                  : affordable < least       ? least
                                             : affordable;
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

temper_status crossval_run(struct crossval *cv, int stage, const size_t *which, size_t count,
                           bool *finished, temper_error *error)
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
    const struct dataset *data = cv->ground->data;
    size_t rows = (size_t)data->x.rows;
    double sum = 0, squares = 0, count = 0;
    cv->weight = mem_alloc(rows, sizeof *cv->weight);
    if (!cv->weight)
        return error_no_memory(error);
    for (size_t row = 0; row < rows; row++) {
        cv->weight[row] = data->weight ? data->weight[row] : 1;
        sum += cv->weight[row];
        squares += cv->weight[row] * cv->weight[row];
        count += cv->weight[row] > 0;
    }
    for (size_t row = 0; row < rows; row++)
        cv->weight[row] *= count / sum;
    cv->rows = sum / squares * sum;
    return TEMPER_OK;
}

static temper_status draw_folds(struct crossval *cv, temper_error *error)
{
    struct split_how how = {cv->train->seed, true};
    const struct dataset *data = cv->ground->data;
    temper_status status = split_folds(data, 2, how, &cv->partition[0], error);
    return status == TEMPER_OK ? split_folds(data, cv->folds, how, &cv->partition[1], error)
                               : status;
}

static temper_status take_folds(struct crossval *cv, temper_error *error)
{
    temper_status status =
        split_given(cv->ground->data, cv->fold, cv->folds, &cv->partition[1], error);
    return status == TEMPER_OK ? split_halve(&cv->partition[1], &cv->partition[0], error) : status;
}

temper_status crossval_prepare(struct crossval *cv, char *note, temper_error *error)
{
    temper_status status = take_weights(cv, error);
    cv->fold_accuracy = mem_alloc(cv->count, cv->folds * sizeof *cv->fold_accuracy);
    if (status == TEMPER_OK && !cv->fold_accuracy)
        status = error_no_memory(error);
    if (status == TEMPER_OK)
        status = cv->fold ? take_folds(cv, error) : draw_folds(cv, error);
    if (status != TEMPER_OK)
        return status;
    for (size_t i = 0; i < cv->count * cv->folds; i++)
        cv->fold_accuracy[i] = NAN;
    memcpy(note, cv->partition[1].note, sizeof cv->partition[1].note);
    return TEMPER_OK;
}

void crossval_free(struct crossval *cv)
{
    split_free(&cv->partition[0]);
    split_free(&cv->partition[1]);
    mem_free(cv->weight);
    mem_free(cv->fold_accuracy);
}
