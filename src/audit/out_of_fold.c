/* audit_fits: what models that have not seen a row say of it. */
#include <math.h>
#include <string.h>

#include "audit/audit_state.h"
#include "base/memory.h"
#include "search/many_fits.h"
#include "search/tune_state.h"
#include "tempered/log_partition.h"
#include "train/train_state.h"

static temper_status prepare(struct audit *audit)
{
    struct split_how how = {audit->train.seed, true};
    size_t cells;
    temper_status status = audit_budget(audit);
    if (status == TEMPER_OK)
        status = scaled_features_new(audit->given, audit->train.scale, audit->threads, &audit->ground, audit->error);
    if (status == TEMPER_OK && isnan(audit->l2))
        status = scaled_features_default_l2(&audit->ground, &audit->l2, audit->error);
    if (status == TEMPER_OK)
        status = split_folds(audit->data, audit->options->folds, how, &audit->folds, audit->error);
    if (status != TEMPER_OK)
        return status;
    if (audit->folds.note[0])
        sentence_add(audit->report.notes, sizeof audit->report.notes, "%s", audit->folds.note);
    if (!mul_size(audit->rows, audit->classes, &cells))
        return error_no_memory(audit->error);
    audit->activation = mem_alloc(cells, sizeof *audit->activation);
    audit->belief = mem_alloc(audit->rows, sizeof *audit->belief);
    return audit->activation && audit->belief ? TEMPER_OK : error_no_memory(audit->error);
}

/* Two classes have one vector a, for activations -a/2, a/2. */
static temper_status ended(void *context, const struct fit_end *end, temper_error *error)
{
    struct audit *audit = context;
    size_t classes = audit->classes;
    (void)error;
    for (size_t row = 0; row < audit->roll.own; row++) {
        size_t among_all = audit->roll.first + row;
        double *out = audit->activation + among_all * classes;
        if (audit->folds.part[among_all] != end->fit)
            continue;
        if (classes == 2) {
            out[0] = -end->activation[row] / 2;
            out[1] = end->activation[row] / 2;
        } else {
            memcpy(out, end->activation + row * classes, classes * sizeof *out);
        }
    }
    audit->done++;
    return TEMPER_OK;
}

static bool goes_on(void *context)
{
    struct audit *audit = context;
    const temper_audit_options *options = audit->options;
    double seconds = training_clock() - audit->started;
    temper_tune_progress progress = {"audit", audit->done, options->folds, seconds, (double)NAN};
    uint64_t stopping = options->on_progress && options->on_progress(options->progress_context, &progress) != 0;
    if (!comm_alone(audit->given->ranks.comm)) /* whoever is told to stop, all do */
        audit->heard = comm_count(audit->given->ranks.comm, stopping, NULL, &stopping, audit->error);
    return audit->heard == TEMPER_OK && stopping == 0;
}

/* Each process has those of its own rows, and gets all. */
static temper_status gather_activations(struct audit *audit)
{
    size_t each = audit->classes * sizeof *audit->activation;
    if (comm_alone(audit->given->ranks.comm))
        return TEMPER_OK;
    double *own = mem_alloc(audit->roll.own, each);
    if (!own)
        return error_no_memory(audit->error);
    memcpy(own, audit->activation + audit->roll.first * audit->classes, audit->roll.own * each);
    temper_status status = gather_labels(&audit->roll, own, each, audit->activation, audit->error);
    mem_free(own);
    return status;
}

static temper_status run_fits(struct audit *audit, struct fit_spec *fit)
{
    bool finished;
    for (size_t i = 0; i < audit->options->folds; i++)
        fit[i] =
            (struct fit_spec){.loss = audit->loss, .l2 = audit->l2, .part = (uint32_t)i, .after = FIT_BEGINS_AT_ZERO};
    struct fits_job job = {.features = &audit->ground,
                           .partition = &audit->folds,
                           .fit = fit,
                           .count = audit->options->folds,
                           .options = &audit->train,
                           .threads = audit->threads,
                           .few = true,
                           .ended = ended,
                           .goes_on = goes_on,
                           .context = audit};
    temper_status status = fits_run(&job, &finished, audit->error);
    if (status != TEMPER_OK || audit->heard != TEMPER_OK)
        return status != TEMPER_OK ? status : audit->heard;
    if (!finished)
        return error_set(audit->error, TEMPER_INTERRUPTED, "interrupted");
    return gather_activations(audit);
}

static void find_beliefs(struct audit *audit)
{
    double right = 0;
    for (size_t row = 0; row < audit->rows; row++) {
        const double *a = audit->activation + row * audit->classes;
        uint32_t given = audit->data->label[row];
        struct partition family = partition_solve(a, audit->classes, audit->loss.t2);
        audit->belief[row] = exp(partition_log_p(&family, given, a[given]));
        right += family.top == given;
    }
    audit->report.accuracy = right / (double)audit->rows;
}

temper_status audit_fit(struct audit *audit)
{
    struct fit_spec *fit = mem_alloc(audit->options->folds, sizeof *fit);
    temper_status status = fit ? prepare(audit) : error_no_memory(audit->error);
    if (status == TEMPER_OK)
        status = run_fits(audit, fit);
    if (status == TEMPER_OK)
        find_beliefs(audit);
    mem_free(fit);
    return status;
}
