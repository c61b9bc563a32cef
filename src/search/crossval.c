/* crossval: batches of candidates by parts of a partition; a candidate is measured when its last fit has ended.
 *
 * A stage fits each candidate once for every part of its partition (two halves, or the folds), without the rows of that
 * part, and predicts these. Fits end in any order; their sums are stored by part and added in the order of the parts at
 * the end, so that measures do not depend on threads or processes. Stage one, the halves, measures what the selection
 * rule needs beside accuracy, and prunes; stage two, the folds, measures the candidates that are left. */
#include "search/crossval.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "predict/predict.h"
#include "search/half_split_stats.h"
#include "search/many_fits.h"

/* Fits of one batch, which share preconditioners and tables of losses. The number follows from BYTES_TOGETHER, the
 * memory for predictions and confidences that a batch keeps until its candidates are measured, between these bounds. */
enum { MOST_TOGETHER = 1200, LEAST_TOGETHER = 48 };
static const size_t BYTES_TOGETHER = (size_t)256 << 20;
enum { TOGETHER_SHARE = 8 }; /* with a memory limit: at most this fraction of it */

static const double LEAST_PROBABILITY = 1e-15; /* before taking logarithms */

/* Weighted sums over the held-out rows of one fit; `trusted` and `trusted_right` count rows. Exchanged between
 * processes as bytes, hence plain numbers only. */
struct held_out_sums {
    double weight, correct, log_loss, brier;
    double trusted, trusted_right;
};

/* What one fit says of one row. `log_loss` is log p of the label, the loss with its sign reversed. */
struct held_out_row {
    double log_loss, brier;
    bool held_out, correct;
};

/* One candidate while its fits are in progress. */
struct crossval_trial {
    size_t candidate;
    size_t fits_left;           /* the candidate is measured when this is 0 */
    atomic_size_t unscored;     /* fits whose rows are not measured yet */
    struct held_out_sums *sums; /* of each part */
    uint8_t *correct;           /* 1: predicted as labelled by the fit that leaves the row out; of this process */
    uint16_t *predicted[2];     /* halves only: of the rows of this process */
    double *confidence;         /* the same */
    temper_tune_candidate half; /* halves, one process: measures of both fits */
};

/* The candidates that are fitted together, and the workspace that their fits share: results are taken one fit at a
 * time. */
struct crossval_batch {
    const struct crossval *cv;
    struct crossval_table *table;
    const struct crossval_calls *calls;
    int stage;
    size_t parts;
    struct crossval_trial *trial;
    size_t trials;
    struct fit_spec *fit;            /* [trial * parts + part] */
    const struct crossval_stage *of; /* the candidates of the batch are its entries from `first` on */
    size_t first;
    double *carried; /* weights of the last two candidates for the next batch (carried_end), or NULL */
    size_t size;
    double *trusted_activation; /* workspace: scores of trusted rows */
    double *p;                  /* several processes: workspace for the probabilities of a row */
    struct held_out_row *row;   /* and the rows of this process, by one fit */
};

/* The number of fits of a candidate in a stage: each leaves out one of the two halves, or one of the K folds. */
size_t crossval_parts(const struct crossval *cv, int stage)
{
    return stage == STAGE_HALVES ? 2 : cv->folds;
}

/* ---- One fit --------------------------------------------------------------------------------- */

/* The fit whose result is being taken; `part` is the part that it has left out. */
struct ended_fit {
    struct crossval_batch *batch;
    struct crossval_trial *trial;
    const struct fit_end *end;
    uint32_t part;
    double *p; /* workspace: probabilities of a row */
};

/* The part of a row of this process; the partition is of the rows of all processes. */
static uint32_t part_of(const struct crossval_batch *batch, size_t row)
{
    const struct crossval *cv = batch->cv;
    return cv->partition[batch->stage - 1].part[cv->labels.first + row];
}

/* Sets log p of the label and the Brier score by the calibrated probabilities, both NAN if the loss has no
 * probabilities. As in predict/evaluate.c, the Brier score of two classes is that of one of them. A model without data
 * is enough for that: predicted_probabilities reads its loss and its number of classes. */
static void measure_losses(const struct ended_fit *fit, const double *a, uint32_t label, struct held_out_row *out)
{
    const struct crossval_batch *batch = fit->batch;
    size_t classes = batch->cv->features->data->classes.count;
    const struct model model = {.vectors = fits_vectors(batch->cv->features),
                                .classes = {.count = classes},
                                .loss = batch->table->candidate[fit->trial->candidate].loss};
    double brier = 0, *p = fit->p;
    out->log_loss = out->brier = NAN;
    if (!model_has_probabilities(&model))
        return;
    predicted_probabilities(&model, a, true, p);
    for (size_t c = 0; c < classes; c++)
        brier += (p[c] - (c == label)) * (p[c] - (c == label));
    out->log_loss = log(fmax(p[label], LEAST_PROBABILITY));
    out->brier = classes == 2 ? brier / 2 : brier;
}

/* Fills *out. Fits of the halves also keep the predicted class of every row, since half_split_stats
 * measures the agreement of the two models; the confidence is kept from the held-out model alone. */
static void measure_row(const struct ended_fit *fit, size_t row, struct held_out_row *out)
{
    struct crossval_batch *batch = fit->batch;
    const struct crossval *cv = batch->cv;
    struct crossval_trial *trial = fit->trial;
    size_t vectors = fits_vectors(cv->features);
    const double *a = fit->end->activation + row * vectors;
    bool halves = batch->stage == STAGE_HALVES;
    double confidence;
    *out = (struct held_out_row){.held_out = part_of(batch, row) == fit->part};
    /* Fits of the folds are needed on their held-out rows only. */
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
    trial->correct[row] = out->correct;
    /* Rows of weight 0 count nowhere; their probabilities are not worth computing. */
    if (cv->weight[cv->labels.first + row] > 0)
        measure_losses(fit, a, label, out);
}

/* Trusted rows of the data itself count only where the fit has not seen them. The subtraction may wrap around for
 * rows of earlier processes, which the comparison with labels.own excludes too. */
static void add_own_trusted(const struct ended_fit *fit, struct held_out_sums *sums)
{
    const struct crossval *cv = fit->batch->cv;
    const struct trusted_rows *trusted = &cv->trusted;
    size_t vectors = fits_vectors(cv->features);
    double confidence;
    for (size_t i = 0; trusted->row && i < trusted->count; i++) {
        /* Trusted rows are numbered among the rows of all processes. */
        size_t row = (size_t)trusted->row[i] - cv->labels.first;
        if (row >= cv->labels.own || part_of(fit->batch, row) != fit->part)
            continue;
        const double *a = fit->end->activation + row * vectors;
        sums->trusted++;
        sums->trusted_right += predicted_with_confidence(a, vectors, &confidence) == trusted->label[i];
    }
}

/* Rows that the fit has seen, and rows of weight 0, which no fit has seen either, do not count. */
static void add_row(const struct ended_fit *fit, size_t index, const struct held_out_row *row,
                    struct held_out_sums *sums)
{
    const struct crossval *cv = fit->batch->cv;
    double weight = cv->weight[cv->labels.first + index];
    if (!row->held_out || !(weight > 0))
        return;
    sums->weight += weight;
    sums->correct += row->correct ? weight : 0;
    sums->log_loss -= weight * row->log_loss;
    sums->brier += weight * row->brier;
}

/* Several processes: adds the rows of this process to the sums of the processes before it (comm_in_turn): the order of
 * the additions, hence every bit of the result, is that of a single process. */
static void add_rows(void *context, void *state)
{
    const struct ended_fit *fit = context;
    struct held_out_sums *sums = state;
    for (size_t i = 0; i < fit->batch->cv->labels.own; i++)
        add_row(fit, i, &fit->batch->row[i], sums);
    add_own_trusted(fit, sums);
}

/* Scores the rows of the trusted dataset, none of which any fit has seen. Every process has all of them and computes
 * the same sums, so that nothing is exchanged. */
static temper_status add_other_trusted(const struct ended_fit *fit, struct held_out_sums *sums, temper_error *error)
{
    const struct crossval *cv = fit->batch->cv;
    const struct trusted_rows *trusted = &cv->trusted;
    size_t vectors = fits_vectors(cv->features);
    double *activation = fit->batch->trusted_activation, confidence;
    struct scaled_features features = *cv->features;
    struct solution solution = {fit->end->w, vectors, !cv->train->no_intercept};
    /* The trusted rows with the scaling of the data: scale factors are those that the fits were made with. */
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

/* Sets the measures that both stages have. Parts are added in their order, not in that in which their fits ended, for
 * the same bits in every session. The standard error is binomial, by the effective number of rows. The log loss and the
 * Brier score of losses without probabilities are NAN, which every sum keeps. */
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

/* Sets the measures that the selection rule needs besides accuracy. They compare two models that were fitted on
 * disjoint rows: no wrong label was seen by both, so that agreement between them is not due to a common wrong label. */
static temper_status measure_halves(const struct crossval *cv, uint16_t *const predicted[2], const double *confidence,
                                    temper_tune_candidate *candidate, temper_error *error)
{
    const struct half_split halves = {
        cv->labels.rows,       cv->features->data->classes.count, cv->labels.label, cv->weight,
        cv->partition[0].part, {predicted[0], predicted[1]},      confidence};
    return half_split_measure(&halves, candidate, error);
}

/* The same for several processes. The rank of a confidence is among the rows of all processes, so each of them gathers
 * all predictions and computes the same measures. Predictions are class numbers of 16 bits, so that this is a few bytes
 * a row. */
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

/* Stores which rows were predicted correctly, of all processes. The bits are gathered, not summed: paired comparisons
 * and the bootstrap need the outcome of each row. */
static temper_status keep_outcomes(struct crossval_batch *batch, const struct crossval_trial *trial,
                                   enum outcome_stage stage, temper_error *error)
{
    const struct gathered_labels *labels = &batch->cv->labels;
    struct outcome_table *outcomes = &batch->table->outcomes;
    if (comm_alone(labels->comm)) {
        outcome_table_set(outcomes, stage, trial->candidate, trial->correct);
        return TEMPER_OK;
    }
    uint8_t *all = mem_alloc(labels->rows, sizeof *all);
    temper_status status =
        all ? gather_labels(labels, trial->correct, sizeof *all, all, error) : error_no_memory(error);
    if (status == TEMPER_OK)
        outcome_table_set(outcomes, stage, trial->candidate, all);
    mem_free(all);
    return status;
}

/* Measures a candidate whose fits have all ended. With two folds, the halves serve as folds too. The stage is set
 * last, since a checkpoint may be saved by candidate_done and must not contain partly measured candidates. */
static temper_status finish_candidate(struct crossval_batch *batch, struct crossval_trial *trial, temper_error *error)
{
    const struct crossval *cv = batch->cv;
    const struct crossval_calls *calls = batch->calls;
    temper_tune_candidate *candidate = &batch->table->candidate[trial->candidate];
    bool folds = batch->stage == STAGE_FOLDS || cv->folds == 2;
    sum_parts(cv, trial, batch->parts, candidate);
    /* Accuracies by fold are kept for the paired comparison with logistic regression in tune.c. */
    for (size_t i = 0; folds && i < batch->parts; i++)
        batch->table->fold_accuracy[trial->candidate * cv->folds + i] = trial->sums[i].correct / trial->sums[i].weight;
    if (batch->stage == STAGE_HALVES && !comm_alone(cv->labels.comm))
        TRY(measure_gathered_halves(cv, trial, candidate, error));
    else if (batch->stage == STAGE_HALVES)
        half_split_copy(&trial->half, candidate);
    if (batch->stage == STAGE_HALVES)
        TRY(keep_outcomes(batch, trial, OUTCOMES_HALVES, error));
    if (folds)
        TRY(keep_outcomes(batch, trial, OUTCOMES_FOLDS, error));
    candidate->stage = folds ? STAGE_FOLDS : STAGE_HALVES;
    return calls->candidate_done ? calls->candidate_done(calls->context, trial->candidate, error) : TEMPER_OK;
}

/* Where the solutions of the last two candidates of a batch are kept for the next batch. */
enum carried { CARRIED_SECOND, CARRIED_LAST, CARRIED };

static double *carried_end(const struct crossval_batch *batch, enum carried which, size_t part)
{
    return batch->carried + ((size_t)which * batch->parts + part) * batch->size;
}

/* Keeps the solution of one of the last two candidates. The fits of this batch that start from carried weights have
 * begun when those are replaced: each of them comes before this fit in its segment. */
static void carry_end(struct crossval_batch *batch, const struct fit_end *end)
{
    size_t trial = end->fit / batch->parts, part = end->fit % batch->parts, bytes = batch->size * sizeof *end->w;
    if (batch->trials == 1)
        memcpy(carried_end(batch, CARRIED_SECOND, part), carried_end(batch, CARRIED_LAST, part), bytes);
    if (trial + 2 == batch->trials)
        memcpy(carried_end(batch, CARRIED_SECOND, part), end->w, bytes);
    if (trial + 1 == batch->trials)
        memcpy(carried_end(batch, CARRIED_LAST, part), end->w, bytes);
}

/* One process: measures the rows of a fit (fits_job.scored, at the same time as other fits), and the halves with the
 * second of their fits. The measures of a candidate are set later, by finish_candidate: a checkpoint may be saved
 * meanwhile. */
static temper_status score_fit(void *context, const struct fit_end *end, temper_error *error)
{
    struct crossval_batch *batch = context;
    const struct crossval *cv = batch->cv;
    struct crossval_trial *trial = &batch->trial[end->fit / batch->parts];
    struct ended_fit fit = {batch, trial, end, (uint32_t)(end->fit % batch->parts), NULL};
    struct held_out_sums *sums = &trial->sums[fit.part];
    fit.p = mem_alloc(cv->features->data->classes.count, sizeof *fit.p);
    if (!fit.p)
        return error_no_memory(error);
    for (size_t i = 0; i < cv->labels.own; i++) {
        struct held_out_row row;
        measure_row(&fit, i, &row);
        add_row(&fit, i, &row, sums);
    }
    add_own_trusted(&fit, sums);
    mem_free(fit.p);
    if (atomic_fetch_sub(&trial->unscored, 1) > 1 || batch->stage != STAGE_HALVES)
        return TEMPER_OK;
    return measure_halves(cv, trial->predicted, trial->confidence, &trial->half, error);
}

/* Several processes: measures the rows of a fit and adds them process by process, one fit after the other. */
static temper_status score_in_turn(const struct ended_fit *fit, struct held_out_sums *sums, temper_error *error)
{
    const struct crossval *cv = fit->batch->cv;
    for (size_t row = 0; row < cv->labels.own; row++)
        measure_row(fit, row, &fit->batch->row[row]);
    struct ended_fit copy = *fit;
    return comm_in_turn(cv->labels.comm, add_rows, &copy, sums, sizeof *sums, error);
}

/* Takes the result of one fit (fits_job.ended; one call at a time, so that the workspace of the batch can be
 * shared). */
static temper_status take_fit(void *context, const struct fit_end *end, temper_error *error)
{
    struct crossval_batch *batch = context;
    const struct crossval *cv = batch->cv;
    struct crossval_trial *trial = &batch->trial[end->fit / batch->parts];
    struct ended_fit fit = {batch, trial, end, (uint32_t)(end->fit % batch->parts), batch->p};
    struct held_out_sums *sums = &trial->sums[fit.part];
    /* The rows of the data, then the other trusted rows, which every process adds alike. */
    if (!comm_alone(cv->labels.comm))
        TRY(score_in_turn(&fit, sums, error));
    if (cv->trusted.data)
        TRY(add_other_trusted(&fit, sums, error));
    if (batch->carried)
        carry_end(batch, end);
    batch->table->fits_done++;
    return --trial->fits_left == 0 ? finish_candidate(batch, trial, error) : TEMPER_OK;
}

/* ---- Batches --------------------------------------------------------------------------------- */

/* Adapts fits_job.goes_on to crossval_calls.keep_going. */
static bool keep_going(void *context)
{
    const struct crossval_batch *batch = context;
    const struct crossval_calls *calls = batch->calls;
    return !calls->keep_going || calls->keep_going(calls->context, batch->table->fits_done);
}

/* Also after a failed batch_new: arrays that were not allocated are NULL. */
static void batch_free(struct crossval_batch *batch)
{
    for (size_t i = 0; batch->trial && i < batch->trials; i++) {
        mem_free(batch->trial[i].sums);
        mem_free(batch->trial[i].correct);
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

/* Predictions and confidences are kept for the halves alone: of the folds, sums and outcomes are enough. False: out of
 * memory. */
static bool trial_new(const struct crossval_batch *batch, size_t candidate, struct crossval_trial *trial)
{
    size_t rows = batch->cv->labels.own;
    trial->candidate = candidate;
    trial->fits_left = batch->parts;
    atomic_init(&trial->unscored, batch->parts);
    trial->sums = mem_zeroed(batch->parts, sizeof *trial->sums);
    trial->correct = mem_zeroed(rows, sizeof *trial->correct);
    if (batch->stage != STAGE_HALVES)
        return trial->sums && trial->correct;
    trial->predicted[0] = mem_alloc(rows, sizeof **trial->predicted);
    trial->predicted[1] = mem_alloc(rows, sizeof **trial->predicted);
    trial->confidence = mem_alloc(rows, sizeof *trial->confidence);
    return trial->sums && trial->correct && trial->predicted[0] && trial->predicted[1] && trial->confidence;
}

/* The solutions of a convex loss are nearly linear in log(penalty) over two steps of a path. So a fit starts from a
 * linear extrapolation of the two solutions before it, at most by as much as they differ. 0 for the first two
 * candidates of a segment, and towards a penalty of 0; and for L1 penalties, whose zeros would be lost. */
static double extrapolation(const struct crossval_batch *batch, size_t entry)
{
    const struct crossval_stage *of = batch->of;
    const temper_tune_candidate *table = batch->table->candidate;
    if (entry < of->segment[entry] + 2 || table[of->which[entry - 2]].l1 > 0)
        return 0;
    double l2 = table[of->which[entry]].l2, last = table[of->which[entry - 1]].l2;
    double ratio = l2 > 0 ? log(last / l2) / log(table[of->which[entry - 2]].l2 / last) : 0;
    return ratio < 1 ? ratio : 1;
}

/* One fit. Within a segment it starts from the solutions of the two candidates before it: fits of this batch, or
 * weights carried over from the batch before. */
static struct fit_spec fit_of(const struct crossval_batch *batch, size_t trial, size_t part)
{
    const struct crossval_stage *of = batch->of;
    size_t entry = batch->first + trial;
    const temper_tune_candidate *candidate = &batch->table->candidate[of->which[entry]];
    struct fit_spec fit = {.loss = candidate->loss,
                           .l2 = candidate->l2,
                           .l1 = candidate->l1,
                           .partition = (uint32_t)(batch->stage - 1),
                           .part = (uint32_t)part,
                           .after = FIT_BEGINS_AT_ZERO,
                           .extrapolation = extrapolation(batch, entry)};
    if (of->segment[entry] != entry && trial > 0) {
        fit.after = (trial - 1) * batch->parts + part;
    } else if (of->segment[entry] != entry) {
        fit.initial = carried_end(batch, CARRIED_LAST, part);
        fit.second = carried_end(batch, CARRIED_SECOND, part);
    }
    return fit;
}

/* Allocates the batch and lists its fits. Those of a candidate are adjacent: fit / parts is the trial, fit % parts the
 * part that is left out (take_fit relies on it). False: out of memory; batch_free is needed in either case. Arrays with
 * a number for each row exist for the candidates of one batch only, which is why a large grid is divided into
 * batches. */
static bool batch_new(struct crossval_batch *batch)
{
    const struct crossval *cv = batch->cv;
    size_t parts = batch->parts, vectors = fits_vectors(cv->features);
    batch->trial = mem_zeroed(batch->trials, sizeof *batch->trial);
    batch->fit = mem_alloc(batch->trials, parts * sizeof *batch->fit);
    size_t in_turn = comm_alone(cv->labels.comm) ? 0 : cv->labels.own;
    batch->p = mem_alloc(cv->features->data->classes.count, sizeof *batch->p);
    batch->trusted_activation = mem_alloc(cv->trusted.count, vectors * sizeof *batch->trusted_activation);
    batch->row = mem_alloc(in_turn, sizeof *batch->row);
    bool allocated = batch->trial && batch->fit && batch->p && batch->trusted_activation && batch->row;
    for (size_t i = 0; allocated && i < batch->trials; i++) {
        allocated = trial_new(batch, batch->of->which[batch->first + i], &batch->trial[i]);
        for (size_t part = 0; part < parts; part++)
            batch->fit[i * parts + part] = fit_of(batch, i, part);
    }
    return allocated;
}

/* Fits start from zero, or along a segment of penalties. Segments do not depend on the batches, nor on what an
 * interrupted search has done already, so that the results do not either. A segment is a list of candidates with one
 * loss and falling penalties, each of which starts from the solution of the one before it: the solution of a slightly
 * larger penalty is near, and saves most of the iterations. */
static temper_status run_batch(struct crossval_batch *batch, bool *finished, temper_error *error)
{
    const struct crossval *cv = batch->cv;
    temper_status status = batch_new(batch) ? TEMPER_OK : error_no_memory(error);
    struct fits_job job = {.features = cv->features,
                           .partition = cv->partition,
                           .fit = batch->fit,
                           .count = batch->trials * batch->parts,
                           .options = cv->train,
                           .threads = cv->train->threads,
                           .converges = cv->converges,
                           .scored = comm_alone(cv->labels.comm) ? score_fit : NULL,
                           .ended = take_fit,
                           .goes_on = keep_going,
                           .context = batch};
    if (status == TEMPER_OK)
        status = fits_run(&job, finished, error);
    batch_free(batch);
    return status;
}

/* An outcome, two predictions and a confidence. */
enum { TRIAL_ROW_BYTES = sizeof(uint8_t) + 2 * sizeof(uint16_t) + sizeof(double) };

/* The number of candidates in a batch of a stage with this number of parts. It depends on the rows of all processes,
 * so that these agree on it. A memory limit may reduce it to 1, which changes the time but no result. */
static size_t trials_together(const struct dataset *data, size_t parts)
{
    size_t bytes = BYTES_TOGETHER, least = LEAST_TOGETHER;
    if (data->storage.memory_limit) {
        size_t share = (size_t)(data->storage.memory_limit / TOGETHER_SHARE);
        bytes = share < bytes ? share : bytes;
        least = 1;
    }
    /* Fits that BYTES_TOGETHER allows: a candidate keeps its results until all of its `parts` fits have ended. */
    size_t affordable = bytes / TRIAL_ROW_BYTES / (size_t)dataset_all_rows(data) * parts;
    size_t fits = affordable > MOST_TOGETHER ? MOST_TOGETHER : affordable < least ? least : affordable;
    return parts > 0 && parts < fits ? fits / parts : 1;
}

/* The number of fits of a batch of the halves, for the memory estimate before the search; 1 more, as the number is
 * rounded down to whole candidates. */
size_t crossval_most_fits(const struct dataset *data)
{
    return 2 * trials_together(data, 2) + 1;
}

/* Bytes per row that the trials of a batch keep; of the halves, as trials of the folds keep sums only. */
size_t crossval_trial_bytes(const struct dataset *data)
{
    return TRIAL_ROW_BYTES * trials_together(data, 2);
}

/* Whether some segment begins in one batch and continues in the next. */
static bool segments_are_divided(const struct crossval_stage *stage, size_t together)
{
    for (size_t i = together; i < stage->count; i += together)
        if (stage->segment[i] != i)
            return true;
    return false;
}

/* Runs one batch after another; a batch that was stopped by keep_going is the last one. A segment that is divided
 * between two batches needs the solutions of its last two candidates again, one for each part: `carried` has them. */
temper_status crossval_run(const struct crossval *cv, struct crossval_table *table, const struct crossval_stage *stage,
                           const struct crossval_calls *calls, bool *finished, temper_error *error)
{
    size_t parts = crossval_parts(cv, stage->stage), together = trials_together(cv->features->data, parts);
    size_t size = fits_size(cv->features, cv->train);
    bool carries = segments_are_divided(stage, together);
    double *carried = carries ? mem_zeroed(CARRIED * parts, size * sizeof *carried) : NULL;
    temper_status status = carries && !carried ? error_no_memory(error) : TEMPER_OK;
    *finished = true;
    for (size_t i = 0; status == TEMPER_OK && *finished && i < stage->count; i += together) {
        size_t left = stage->count - i;
        struct crossval_batch batch = {.cv = cv,
                                       .table = table,
                                       .calls = calls,
                                       .stage = stage->stage,
                                       .parts = parts,
                                       .trials = left < together ? left : together,
                                       .of = stage,
                                       .first = i,
                                       .carried = carried,
                                       .size = size};
        status = run_batch(&batch, finished, error);
    }
    mem_free(carried);
    return status;
}

/* ---- Preparation ----------------------------------------------------------------------------- */

/* Copies the weights, scaled to mean 1 over the rows of positive weight, and sets the effective number of rows by
 * Kish's formula (sum w)^2 / sum w^2, which is the number of rows if all weights are equal. */
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
    /* The mean over rows of positive weight becomes 1, so that sums of weights are comparable with numbers of rows. */
    for (size_t row = 0; row < labels->rows; row++)
        cv->weight[row] *= count / sum;
    cv->rows = sum / squares * sum;
    return TEMPER_OK;
}

/* Draws halves and folds, stratified by class, from the seed; with given folds, the halves are the even and the odd
 * ones, so that rows which the user keeps in one fold are never divided between the halves. */
temper_status crossval_prepare(struct crossval *cv, temper_error *error)
{
    struct split_options how = {cv->train->seed, true};
    TRY(gathered_labels_needed(cv->features->data, &cv->labels, error));
    TRY(take_weights(cv, error));
    /* Every process draws the same partition of all rows from the same seed. */
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
