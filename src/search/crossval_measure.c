/* crossval_measure: what a fit is worth on the rows that it has not seen. */
#include <math.h>

#include "base/memory.h"
#include "predict/predict.h"
#include "search/crossval_internal.h"
#include "search/half_split_stats.h"

static const double LEAST_PROBABILITY = 1e-15; /* for the logarithm */

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
static void take_losses(const struct batch *batch, const struct model *shape, const double *a, uint32_t label,
                        struct row_losses *out)
{
    size_t classes = shape->classes.count;
    double brier = 0, *p = batch->p;
    out->log_loss = out->brier = NAN;
    if (!model_has_probabilities(shape))
        return;
    predicted_probabilities(shape, a, true, p);
    for (size_t c = 0; c < classes; c++)
        brier += (p[c] - (c == label)) * (p[c] - (c == label));
    out->log_loss = log(fmax(p[label], LEAST_PROBABILITY));
    out->brier = classes == 2 ? brier / 2 : brier;
}

/* ---- One fit --------------------------------------------------------------------------------- */

/* What is to be found out of a fit that ended. */
struct look {
    struct batch *batch;
    struct trial *trial;
    const struct fit_end *end;
    uint32_t part;
};

static uint32_t part_of(const struct batch *batch, size_t row)
{
    const struct crossval *cv = batch->cv;
    return cv->partition[batch->stage - 1].part[cv->roll.first + row];
}

static void look_at_row(const struct look *look, size_t row)
{
    struct batch *batch = look->batch;
    const struct crossval *cv = batch->cv;
    const struct dataset *data = cv->ground->data;
    struct trial *trial = look->trial;
    size_t vectors = fits_vectors(cv->ground);
    const double *a = look->end->activation + row * vectors;
    double confidence;
    struct row_losses *loss = &batch->loss[row];
    *loss = (struct row_losses){.unseen = part_of(batch, row) == look->part};
    if (!loss->unseen && batch->stage != STAGE_HALVES)
        return;
    uint32_t winner = activations_winner(a, vectors, &confidence);
    if (batch->stage == STAGE_HALVES)
        trial->predicted[look->part][row] = (uint16_t)winner;
    if (!loss->unseen)
        return;
    if (batch->stage == STAGE_HALVES)
        trial->confidence[row] = confidence;
    loss->correct = winner == data->label[row];
    struct model shape = {
        .vectors = vectors, .classes = {.count = data->classes.count}, .loss = cv->table[trial->candidate].loss};
    if (cv->weight[cv->roll.first + row] > 0)
        take_losses(batch, &shape, a, data->label[row], loss);
}

/* Trusted rows of the data itself count where the model has not seen them. */
static void add_trusted_own(const struct look *look, struct sums *sums)
{
    const struct crossval *cv = look->batch->cv;
    const struct trusted *trusted = &cv->trusted;
    size_t vectors = fits_vectors(cv->ground);
    double confidence;
    for (size_t i = 0; trusted->row && i < trusted->count; i++) {
        size_t row = (size_t)trusted->row[i] - cv->roll.first;
        if (row >= cv->roll.own || part_of(look->batch, row) != look->part)
            continue;
        const double *a = look->end->activation + row * vectors;
        sums->trusted++;
        sums->trusted_right += activations_winner(a, vectors, &confidence) == trusted->label[i];
    }
}

/* The rows of this process, behind those of the processes before it. */
static void add_rows(void *context, void *state)
{
    const struct look *look = context;
    const struct crossval *cv = look->batch->cv;
    struct sums *sums = state;
    for (size_t row = 0; row < cv->roll.own; row++) {
        const struct row_losses *loss = &look->batch->loss[row];
        double weight = cv->weight[cv->roll.first + row];
        if (!loss->unseen || !(weight > 0))
            continue;
        sums->weight += weight;
        sums->correct += loss->correct ? weight : 0;
        sums->log_loss -= weight * loss->log_loss;
        sums->brier += weight * loss->brier;
    }
    add_trusted_own(look, sums);
}

/* Every process has all of them. */
static temper_status add_trusted_others(const struct look *look, struct sums *sums, temper_error *error)
{
    const struct batch *batch = look->batch;
    const struct crossval *cv = batch->cv;
    const struct trusted *trusted = &cv->trusted;
    size_t vectors = fits_vectors(cv->ground);
    struct scaled_features theirs = *cv->ground;
    struct solution solution = {look->end->w, vectors, !cv->train->no_intercept};
    double confidence;
    theirs.given = trusted->data;
    temper_status status = scaled_features_activations(&theirs, solution, 1, batch->trusted_activation, error);
    for (size_t i = 0; status == TEMPER_OK && i < trusted->count; i++) {
        const double *a = batch->trusted_activation + i * vectors;
        sums->trusted++;
        sums->trusted_right += activations_winner(a, vectors, &confidence) == trusted->data->label[i];
    }
    return status;
}

/* ---- One candidate --------------------------------------------------------------------------- */

static void total(const struct crossval *cv, const struct trial *trial, size_t parts, temper_tune_candidate *out)
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

static temper_status measure(const struct crossval *cv, uint16_t *const predicted[2], const double *confidence,
                             temper_tune_candidate *candidate, temper_error *error)
{
    struct half_split_stats halves = {cv->roll.rows, cv->ground->data->classes.count, cv->roll.label,
                                      cv->weight,    cv->partition[0].part,           {predicted[0], predicted[1]},
                                      confidence};
    return half_split_measure(&halves, candidate, error);
}

/* Ranks are among the rows of all processes. */
static temper_status measure_gathered(const struct crossval *cv, const struct trial *trial,
                                      temper_tune_candidate *candidate, temper_error *error)
{
    const struct gathered_labels *roll = &cv->roll;
    uint16_t *predicted[2] = {mem_alloc(roll->rows, sizeof **predicted), mem_alloc(roll->rows, sizeof **predicted)};
    double *confidence = mem_alloc(roll->rows, sizeof *confidence);
    temper_status status = predicted[0] && predicted[1] && confidence ? TEMPER_OK : error_no_memory(error);
    for (size_t i = 0; status == TEMPER_OK && i < 2; i++)
        status = gather_labels(roll, trial->predicted[i], sizeof **predicted, predicted[i], error);
    if (status == TEMPER_OK)
        status = gather_labels(roll, trial->confidence, sizeof *confidence, confidence, error);
    if (status == TEMPER_OK)
        status = measure(cv, predicted, confidence, candidate, error);
    mem_free(predicted[0]);
    mem_free(predicted[1]);
    mem_free(confidence);
    return status;
}

static temper_status finish(struct batch *batch, struct trial *trial, temper_error *error)
{
    struct crossval *cv = batch->cv;
    temper_tune_candidate *candidate = &cv->table[trial->candidate];
    temper_status status = TEMPER_OK;
    bool folds = batch->stage == STAGE_FOLDS || cv->folds == 2;
    total(cv, trial, batch->parts, candidate);
    for (size_t i = 0; folds && i < batch->parts; i++)
        cv->fold_accuracy[trial->candidate * cv->folds + i] = trial->sums[i].correct / trial->sums[i].weight;
    if (batch->stage == STAGE_HALVES)
        status = comm_alone(cv->roll.comm) ? measure(cv, trial->predicted, trial->confidence, candidate, error)
                                           : measure_gathered(cv, trial, candidate, error);
    candidate->stage = folds ? STAGE_FOLDS : STAGE_HALVES;
    return status == TEMPER_OK && cv->ended ? cv->ended(cv->context, trial->candidate, error) : status;
}

temper_status crossval_fit_ended(void *context, const struct fit_end *end, temper_error *error)
{
    struct batch *batch = context;
    struct crossval *cv = batch->cv;
    struct trial *trial = &batch->trial[end->fit / batch->parts];
    struct look look = {batch, trial, end, (uint32_t)(end->fit % batch->parts)};
    struct sums *sums = &trial->sums[look.part];
    for (size_t row = 0; row < cv->roll.own; row++)
        look_at_row(&look, row);
    temper_status status = comm_in_turn(cv->roll.comm, add_rows, &look, sums, sizeof *sums, error);
    if (status == TEMPER_OK && cv->trusted.data)
        status = add_trusted_others(&look, sums, error);
    cv->done++;
    return status == TEMPER_OK && --trial->left == 0 ? finish(batch, trial, error) : status;
}
