/* clean: an audit with its defaults, and a dataset that borrows the features of the rows and has other weights or
 * labels.
 */
#include "audit/clean.h"

#include <string.h>

#include "audit/audit.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/subset.h"

enum clean_method { CLEAN_DROP, CLEAN_WEIGH, CLEAN_RELABEL, CLEAN_METHODS };
static const char *const method_names[CLEAN_METHODS] = {"drop", "weigh", "relabel"};

/* CLEAN_METHODS for an unknown name. */
static enum clean_method find_method(const char *name)
{
    size_t i = 0;
    while (i < CLEAN_METHODS && strcmp(name, method_names[i]) != 0)
        i++;
    return (enum clean_method)i;
}

temper_status clean_check(const temper_train_options *options, temper_error *error)
{
    if (!options->clean || strcmp(options->clean, "none") == 0 || find_method(options->clean) != CLEAN_METHODS)
        return TEMPER_OK;
    return error_set(error, TEMPER_USAGE, "unknown method '%.64s' of cleaning labels; give drop, weigh or relabel",
                     options->clean);
}

/* ---- The audit ------------------------------------------------------------------------------- */

/* The defaults of an audit, with the features as the training sees them. */
static temper_audit_options options_of_audit(const temper_train_options *options, struct label_noise_progress progress)
{
    temper_audit_options audit_options = temper_audit_defaults();
    audit_options.train.scale = options->scale;
    audit_options.train.solver = options->solver;
    audit_options.train.precision = options->precision;
    audit_options.train.no_intercept = options->no_intercept;
    audit_options.train.max_iterations = options->max_iterations;
    audit_options.train.seed = options->seed;
    audit_options.train.threads = options->threads;
    audit_options.on_progress = progress.call;
    audit_options.progress_context = progress.context;
    if (options->fold) {
        audit_options.fold = options->fold;
        audit_options.folds = options->folds;
    }
    return audit_options;
}

/* ---- Changes --------------------------------------------------------------------------------- */

/* What is to be done with the rows of this process. */
struct clean_job {
    const temper_audit_report *report;
    enum clean_method method;
    bool *emptied; /* of each class: all of its rows are listed and none is relabelled to it; it is left alone */
    size_t first;  /* the first row of this process among all */
    struct dataset *data;
    struct cleaned_rows *out;
};

/* Counts the rows that each class would have afterwards, those of all processes. `left` is 0 before. */
static void find_emptied(struct clean_job *job, size_t *left)
{
    const temper_audit_report *report = job->report;
    for (size_t i = 0; i < report->rows; i++) {
        const temper_audit_suspect *suspect = &report->suspects[i];
        bool listed = i < report->supported;
        left[suspect->given] += !listed;
        left[suspect->suggested] += listed && job->method == CLEAN_RELABEL;
    }
    for (size_t c = 0; c < report->classes; c++)
        job->emptied[c] = left[c] == 0;
}

/* Changes a row of this process, if it is one. */
static void change_row(const struct clean_job *job, size_t place)
{
    const temper_audit_suspect *suspect = &job->report->suspects[place];
    bool listed = place < job->report->supported;
    size_t row = suspect->row - job->first;
    if (suspect->row < job->first || row >= (size_t)job->data->x.rows)
        return;
    if (job->method == CLEAN_WEIGH)
        job->data->weight[row] *= 1 - suspect->score;
    else if (listed && job->method == CLEAN_DROP)
        job->data->weight[row] = 0;
    else if (listed)
        job->data->label[row] = suspect->suggested;
}

/* Changes all rows. Scores are weights only where the audit lists anything: else it could not tell, or found nothing.
 */
static void change_rows(const struct clean_job *job)
{
    const temper_audit_report *report = job->report;
    size_t last = report->supported == 0 || job->method != CLEAN_WEIGH ? report->supported : report->rows;
    for (size_t i = 0; i < last; i++) {
        if (job->emptied[report->suspects[i].given])
            continue;
        change_row(job, i);
        job->out->changed += i < report->supported;
    }
}

/* Weights of 1 for data that has none. */
static temper_status need_weights(struct dataset *data, temper_error *error)
{
    if (data->weight)
        return TEMPER_OK;
    data->weight = mem_alloc((size_t)data->x.rows, sizeof *data->weight);
    if (!data->weight)
        return error_no_memory(error);
    for (size_t row = 0; row < (size_t)data->x.rows; row++)
        data->weight[row] = 1;
    return TEMPER_OK;
}

/* Fills *out from a finished audit. */
static temper_status apply(const struct dataset *data, const temper_audit_report *report, enum clean_method method,
                           struct cleaned_rows *out, temper_error *error)
{
    struct clean_job job = {
        .report = report, .method = method, .first = data->ranks.comm ? (size_t)data->ranks.first_row : 0, .out = out};
    size_t *left = mem_zeroed(report->classes, sizeof *left);
    job.emptied = mem_zeroed(report->classes, sizeof *job.emptied);
    temper_status status = left && job.emptied ? TEMPER_OK : error_no_memory(error);
    if (status == TEMPER_OK)
        status = dataset_borrow(data, &job.data, error);
    if (status == TEMPER_OK && method != CLEAN_RELABEL)
        status = need_weights(job.data, error);
    if (status == TEMPER_OK && left && job.emptied) {
        find_emptied(&job, left);
        change_rows(&job);
        out->data = job.data;
    } else {
        dataset_free(job.data);
    }
    mem_free(left);
    mem_free(job.emptied);
    return status;
}

temper_status clean_labels(const struct dataset *data, const temper_train_options *options,
                           struct label_noise_progress progress, struct cleaned_rows *out, temper_error *error)
{
    temper_audit_options audit_options = options_of_audit(options, progress);
    /* The message of the audit names its folds, which are no option of training. */
    if (dataset_all_rows(data) < 2 * audit_options.folds)
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: %llu rows are too few to audit their labels, which takes %zu; give more rows, or train "
                         "without --clean",
                         data->file.path ? data->file.path : "data", (unsigned long long)dataset_all_rows(data),
                         2 * audit_options.folds);
    temper_audit_report *report = mem_zeroed(1, sizeof *report); /* 9 KiB, below which a whole training has to fit */
    temper_status status = report ? audit(data, &audit_options, report, error) : error_no_memory(error);
    out->data = NULL;
    if (status == TEMPER_OK) {
        out->changed = 0;
        out->wrong = report->wrong;
        out->seconds = report->seconds;
        out->warnings = report->warnings;
        status = apply(data, report, find_method(options->clean), out, error);
    }
    temper_audit_report_free(report);
    mem_free(report);
    return status;
}
