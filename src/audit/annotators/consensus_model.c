/* consensus_model: what models of the features say about items that they were not fitted to. */
#include <math.h>
#include <string.h>

#include "audit/annotators/consensus.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/thread.h"
#include "data/subset.h"
#include "search/many_fits.h"
#include "train/train.h"

static const double TOLERANCE = 1e-3;       /* of the fits: the votes count too, so that digits do not matter */
static const double LEAST_EVIDENCE = -13.8; /* log of a probability of 1e-6 */

/* ---- Rows and labels ------------------------------------------------------------------------- */

/* The consensus as labels. A row counts by how far its label is from a guess, and not at all without votes. */
static void label_rows(const struct crowd *crowd, const double *given_weight, struct dataset *labelled)
{
    double classes = (double)crowd->classes;
    for (size_t item = 0; item < crowd->items; item++) {
        uint32_t best = crowd_best_class(crowd, item);
        double p = crowd->posterior[item * crowd->classes + best];
        double weight = given_weight ? given_weight[item] : 1;
        labelled->label[item] = best;
        labelled->weight[item] = crowd->has_votes[item] ? weight * fmax((classes * p - 1) / (classes - 1), 0) : 0;
    }
}

/* The same features, with space for labels and weights of their own. */
static temper_status borrow_rows(const struct crowd *crowd, const struct dataset *data, struct dataset **out,
                                 temper_error *error)
{
    struct dataset *made = NULL;
    struct classes classes = {0};
    uint32_t *label = mem_alloc(crowd->items, sizeof *label);
    double *weight = mem_alloc(crowd->items, sizeof *weight);
    temper_status status = label && weight ? dataset_borrow(data, &made, error) : error_no_memory(error);
    if (status == TEMPER_OK)
        status = classes_copy(&crowd->votes->classes, &classes, error);
    if (status != TEMPER_OK) {
        mem_free(label);
        mem_free(weight);
        dataset_free(made);
        return status;
    }
    mem_free(made->label);
    mem_free(made->weight);
    classes_free(&made->classes);
    made->label = label;
    made->weight = weight;
    made->classes = classes;
    *out = made;
    return TEMPER_OK;
}

/* Rows of positive weight, and how many classes they have. */
static size_t count_rows(const struct dataset *labelled, size_t *classes)
{
    size_t rows = 0;
    *classes = 0;
    for (uint32_t c = 0; c < labelled->classes.count; c++) {
        size_t of_class = 0;
        for (size_t row = 0; row < labelled->x.rows; row++)
            of_class += labelled->weight[row] > 0 && labelled->label[row] == c;
        rows += of_class;
        *classes += of_class > 0;
    }
    return rows;
}

temper_status consensus_model_new(const struct crowd *crowd, const temper_consensus_options *options,
                                  struct consensus_model *out, bool *usable, temper_consensus_report *report,
                                  temper_error *error)
{
    size_t classes, rows;
    *out = (struct consensus_model){
        .data = (const struct dataset *)options->data, .options = options, .started = train_clock()};
    *usable = crowd->classes > 1;
    if (*usable) {
        TRY(borrow_rows(crowd, out->data, &out->labelled, error));
        label_rows(crowd, out->data->weight, out->labelled);
        rows = count_rows(out->labelled, &classes);
        *usable = classes > 1 && rows >= 2 * options->folds;
    }
    if (!*usable) {
        sentence_append(report->notes, sizeof report->notes,
                        "the features are not used: the consensus has too few rows, or one class only");
        return TEMPER_OK;
    }
    out->evidence = mem_zeroed(crowd->items, crowd->classes * sizeof *out->evidence);
    if (!out->evidence)
        return error_no_memory(error);
    return split_folds(out->labelled, options->folds, (struct split_options){options->seed, true}, &out->folds, error);
}

void consensus_model_free(struct consensus_model *model)
{
    split_free(&model->folds);
    dataset_free(model->labelled);
    mem_free(model->evidence);
    *model = (struct consensus_model){0};
}

/* ---- Fits ------------------------------------------------------------------------------------ */

/* Keeps the log probabilities of the rows that the fit has left out; fit i leaves out fold i. */
static temper_status take_evidence(void *context, const struct fit_end *end, temper_error *error)
{
    struct consensus_model *model = context;
    size_t classes = model->labelled->classes.count;
    (void)error;
    for (size_t row = 0; row < model->folds.rows; row++) {
        double *out = model->evidence + row * classes;
        if (model->folds.part[row] != end->fit)
            continue;
        if (classes == 2) {
            out[0] = -end->activation[row] / 2;
            out[1] = end->activation[row] / 2;
        } else {
            memcpy(out, end->activation + row * classes, classes * sizeof *out);
        }
        double total = log_sum_exp(out, classes);
        for (size_t c = 0; c < classes; c++)
            out[c] = fmax(out[c] - total, LEAST_EVIDENCE);
    }
    model->done++;
    return TEMPER_OK;
}

static bool report_progress(void *context)
{
    const struct consensus_model *model = context;
    const temper_consensus_options *options = model->options;
    temper_tune_progress progress = {"consensus", model->done, model->all, train_clock() - model->started, (double)NAN};
    return !options->on_progress || options->on_progress(options->progress_context, &progress) == 0;
}

static temper_status run_fits(struct consensus_model *model, const struct scaled_features *features,
                              struct fit_spec *fit, temper_error *error)
{
    temper_train_options train = temper_train_defaults();
    double l2;
    bool finished;
    train.tolerance = TOLERANCE;
    train.seed = model->options->seed;
    TRY(scaled_features_default_l2(features, &l2, error));
    for (size_t i = 0; i < model->options->folds; i++)
        fit[i] = (struct fit_spec){.loss = train.loss, .l2 = l2, .part = (uint32_t)i, .after = FIT_BEGINS_AT_ZERO};
    struct fits_job job = {.features = features,
                           .partition = &model->folds,
                           .fit = fit,
                           .count = model->options->folds,
                           .options = &train,
                           .threads = features->threads,
                           .few = true,
                           .ended = take_evidence,
                           .goes_on = report_progress,
                           .context = model};
    TRY(fits_run(&job, &finished, error));
    return finished ? TEMPER_OK : error_set(error, TEMPER_INTERRUPTED, "interrupted");
}

temper_status consensus_model_fit(struct consensus_model *model, const struct crowd *crowd, temper_error *error)
{
    size_t threads = model->options->threads ? model->options->threads : thread_count_default();
    struct scaled_features features;
    struct fit_spec *fit = mem_alloc(model->options->folds, sizeof *fit);
    if (!fit)
        return error_no_memory(error);
    label_rows(crowd, model->data->weight, model->labelled);
    temper_status status = scaled_features_new(model->labelled, NULL, threads, &features, error);
    if (status == TEMPER_OK) {
        status = run_fits(model, &features, fit, error);
        scaled_features_free(&features);
    }
    mem_free(fit);
    return status;
}
