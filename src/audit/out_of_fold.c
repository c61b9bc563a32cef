/* out_of_fold: the scores of every row by a model that was fitted without the row's fold. */
#include <math.h>
#include <string.h>

#include "audit/audit_steps.h"
#include "base/memory.h"
#include "base/text.h"
#include "search/many_fits.h"
#include "train/train.h"

/* The fits of all folds, in progress. */
struct out_of_fold_job {
    const struct audit_input *in;
    struct audit_fits *fits;
    size_t done;
    temper_status comm_status; /* of the exchange by which all processes stop together */
};

/* Folds that the caller gives keep related rows together. */
temper_status audit_split(const struct audit_input *in, struct audit_fits *fits, temper_audit_report *report)
{
    struct split_options how = {in->train.seed, true};
    const uint32_t *given = in->options->fold;
    TRY(given ? split_given(in->data, given, in->options->folds, &fits->folds, in->error)
              : split_folds(in->data, in->options->folds, how, &fits->folds, in->error));
    if (fits->folds.note[0])
        sentence_append(report->notes, sizeof report->notes, "%s", fits->folds.note);
    return TEMPER_OK;
}

/* Checks the memory budget, scales the features, finds the default penalty, draws the folds (stratified by class),
 * and allocates the scores of all rows. The caller frees *fits also after a failure. */
static temper_status prepare(const struct audit_input *in, struct audit_fits *fits, temper_audit_report *report)
{
    size_t cells;
    TRY(audit_budget(in));
    TRY(scaled_features_new(in->given, in->train.scale, in->threads, &fits->features, in->error));
    /* No penalty given or selected: the default lambda_0 of the data. */
    if (isnan(fits->l2))
        TRY(scaled_features_default_l2(&fits->features, &fits->l2, in->error));
    TRY(audit_split(in, fits, report));
    if (!mul_size(in->rows, in->classes, &cells))
        return error_no_memory(in->error);
    for (size_t i = 0; i < fits->losses; i++) {
        fits->activation[i] = mem_alloc(cells, sizeof *fits->activation[i]);
        if (!fits->activation[i])
            return error_no_memory(in->error);
    }
    return TEMPER_OK;
}

/* Keeps the scores of the left-out rows of a fit (fits_job.ended); fit i leaves out fold i % folds. With two classes
 * the single score a stands for the activations -a/2 and a/2, so that later steps need no special case. */
static temper_status take_scores(void *context, const struct fit_end *end, temper_error *error)
{
    struct out_of_fold_job *job = context;
    const struct gathered_labels *labels = &job->in->labels;
    size_t classes = job->in->classes, folds = job->in->options->folds;
    (void)error;
    for (size_t row = 0; row < labels->own; row++) {
        size_t among_all = labels->first + row;
        double *out = job->fits->activation[end->fit / folds] + among_all * classes;
        /* Rows that this fit was trained on. */
        if (job->fits->folds.part[among_all] != end->fit % folds)
            continue;
        if (classes == 2) {
            out[0] = -end->activation[row] / 2;
            out[1] = end->activation[row] / 2;
        } else {
            memcpy(out, end->activation + row * classes, classes * sizeof *out);
        }
    }
    job->done++;
    return TEMPER_OK;
}

/* fits_job.goes_on: false if the caller of any process wants to stop. Processes exchange their wishes, so that all
 * stop after the same iteration. */
static bool report_progress(void *context)
{
    struct out_of_fold_job *job = context;
    const struct audit_input *in = job->in;
    const temper_audit_options *options = in->options;
    /* No estimate of the remaining time: there are few fits, most of them in progress together. */
    temper_tune_progress progress = {"audit", job->done, options->folds * job->fits->losses,
                                     train_clock() - in->started, (double)NAN};
    uint64_t stopping = options->on_progress && options->on_progress(options->progress_context, &progress) != 0;
    if (!comm_alone(in->given->ranks.comm))
        job->comm_status = comm_count(in->given->ranks.comm, stopping, NULL, &stopping, in->error);
    return job->comm_status == TEMPER_OK && stopping == 0;
}

/* Completes activation[rows of all processes * classes], of which each process has filled its own rows. These are
 * copied first, since the gather must not read what it writes. */
static temper_status gather_scores(const struct audit_input *in, double *activation)
{
    size_t each = in->classes * sizeof *activation;
    if (comm_alone(in->given->ranks.comm))
        return TEMPER_OK;
    double *own = mem_alloc(in->labels.own, each);
    if (!own)
        return error_no_memory(in->error);
    memcpy(own, activation + in->labels.first * in->classes, in->labels.own * each);
    temper_status status = gather_labels(&in->labels, own, each, activation, in->error);
    mem_free(own);
    return status;
}

/* Floats are enough for the default tolerances where features are standardised: values are centred before they are
 * rounded. A tolerance of the user may need doubles. */
static temper_train_options options_of_fits(const struct audit_input *in, const struct audit_fits *fits)
{
    temper_train_options options = in->train;
    bool is_auto = !options.precision || strcmp(options.precision, "auto") == 0;
    if (is_auto && isnan(in->options->train.tolerance) && fits->features.scale.kind == SCALE_STANDARD)
        options.precision = "f32";
    return options;
}

/* Fits one model per loss and fold, and gathers the scores. `few`: for a handful of fits, the Gram matrix of a
 * preconditioner would take longer than it saves. `fit` is space for all fits. */
static temper_status run_fits(const struct audit_input *in, struct audit_fits *fits, struct fit_spec *fit)
{
    struct out_of_fold_job job = {.in = in, .fits = fits};
    temper_train_options options = options_of_fits(in, fits);
    bool finished;
    size_t folds = in->options->folds, count = folds * fits->losses;
    /* A fit leaves out one part of the only partition, and starts from zero. */
    for (size_t i = 0; i < count; i++)
        fit[i] = (struct fit_spec){
            .loss = fits->loss[i / folds], .l2 = fits->l2, .part = (uint32_t)(i % folds), .after = FIT_BEGINS_AT_ZERO};
    struct fits_job fits_job = {.features = &fits->features,
                                .partition = &fits->folds,
                                .fit = fit,
                                .count = count,
                                .options = &options,
                                .threads = in->threads,
                                .few = true,
                                .ended = take_scores,
                                .goes_on = report_progress,
                                .context = &job};
    TRY(fits_run(&fits_job, &finished, in->error));
    TRY(job.comm_status);
    if (!finished)
        return error_set(in->error, TEMPER_INTERRUPTED, "interrupted");
    for (size_t i = 0; i < fits->losses; i++)
        TRY(gather_scores(in, fits->activation[i]));
    return TEMPER_OK;
}

/* Each row is scored by exactly one fit of each loss, that which leaves out its fold. */
temper_status audit_out_of_fold(const struct audit_input *in, struct audit_fits *fits, temper_audit_report *report)
{
    struct fit_spec *fit = mem_alloc(in->options->folds * fits->losses, sizeof *fit);
    temper_status status = fit ? prepare(in, fits, report) : error_no_memory(in->error);
    if (status == TEMPER_OK)
        status = run_fits(in, fits, fit);
    mem_free(fit);
    return status;
}
