/* api_train: training, tuning and auditing. Each call completes its options and publishes results only on success. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "api/api_internal.h"
#include "audit/audit.h"
#include "audit/clean.h"
#include "audit/given_probabilities.h"
#include "audit/health/health.h"
#include "audit/label_noise.h"
#include "audit/review/review_sources.h"
#include "base/memory.h"
#include "base/thread.h"
#include "data/dist/scatter_rows.h"
#include "data/split.h"
#include "report/audit_report.h"
#include "search/fold_path.h"
#include "search/out_of_fold/calibrate.h"
#include "search/out_of_fold/holdout.h"
#include "search/tune.h"
#include "tempered/loss_family.h"
#include "train/train.h"

/* ---- Training ---------------------------------------------------------------------------------------------------- */

/* (0.3, 1) with the default penalty had the lowest mean regret without any tuning (docs/notes/2026-11-16-selection.md).
 */
temper_train_options temper_train_defaults(void)
{
    temper_train_options options = {.struct_size = sizeof(temper_train_options),
                                    .loss = {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1},
                                    .l2 = NAN,
                                    .patience = 10,
                                    .starts = 1,
                                    .tolerance = 1e-4,
                                    .max_iterations = 1000,
                                    .seed = 1,
                                    .checkpoint_seconds = 30};
    loss_set_standard(&options.loss); /* for callers who change the method only */
    return options;
}

/* In the order of temper_stop, from the same list. */
static const struct {
    const char *name, *text;
} stops[] = {
#define STOP(name, word, text) {word, text},
    TEMPER_STOP_LIST(STOP)
#undef STOP
};

/* One word, for files and programs. */
const char *temper_stop_name(temper_stop stop)
{
    return (size_t)stop < sizeof stops / sizeof *stops ? stops[stop].name : "?";
}

/* A phrase, for people. */
const char *temper_stop_text(temper_stop stop)
{
    return (size_t)stop < sizeof stops / sizeof *stops ? stops[stop].text : "?";
}

/* The short word of a kind of warning. */
const char *temper_warning_name(temper_warning_code code)
{
    static const char *const names[] = {
#define WARNING(name, word) word,
        TEMPER_WARNING_LIST(WARNING)
#undef WARNING
    };
    return (size_t)code < sizeof names / sizeof *names ? names[code] : "?";
}

/* A copy: the weights of the optimiser are valid during the callback only. */
temper_status temper_train_progress_model(const temper_train_progress *progress, temper_model **model,
                                          temper_error *error)
{
    struct model *made;
    if (!progress->state)
        return error_set(error, TEMPER_USAGE, "there is no model in the phase '%s'", progress->phase);
    TRY(train_snapshot_model(progress->state, &made, error));
    *model = (temper_model *)made;
    return TEMPER_OK;
}

/* The progress of an audit, as that of the training it belongs to. */
struct noise_phase {
    const temper_train_options *options;
    const temper_train_report *report;
};

/* Objective, gradient and accuracy stay those of the trained model. */
static int report_noise_phase(void *context, const temper_tune_progress *audit)
{
    const struct noise_phase *phase = context;
    const temper_train_options *options = phase->options;
    temper_train_progress shown = {.phase = TEMPER_PHASE_NOISE,
                                   .iteration = audit->done,
                                   .max_iterations = audit->all,
                                   .objective = phase->report->objective,
                                   .gradient = phase->report->gradient_norm,
                                   .tolerance = options->tolerance,
                                   .accuracy = phase->report->accuracy,
                                   .validation = phase->report->validation,
                                   .seconds = phase->report->seconds + audit->seconds};
    return options->on_progress ? options->on_progress(options->progress_context, &shown) : 0;
}

/* The steps after training. An interruption ends them, and leaves the model. */
static temper_status complete_model(const struct dataset *data, const temper_train_options *options,
                                    struct model *model, temper_train_report *report, temper_error *error)
{
    TRY(calibrate_model(data, options, model, report, error));
    TRY(holdout_estimate(data, options, model, report, error));
    if (!options->estimate_noise || report->stop == TEMPER_STOP_INTERRUPTED)
        return TEMPER_OK;
    struct noise_phase phase = {options, report};
    struct label_noise_progress progress = {report_noise_phase, &phase};
    double started = train_clock();
    temper_status status = label_noise_estimate(data, options, progress, model, &report->warnings, error);
    report->seconds += train_clock() - started;
    if (status == TEMPER_INTERRUPTED)
        report->stop = TEMPER_STOP_INTERRUPTED;
    return status == TEMPER_INTERRUPTED ? TEMPER_OK : status;
}

/* Whether the rows are to be audited before the training. */
static bool wants_clean(const temper_train_options *options)
{
    return options->clean && strcmp(options->clean, "none") != 0;
}

/* The progress of the audit before a training, of which nothing is known yet. */
static int report_clean_phase(void *context, const temper_tune_progress *audit)
{
    const temper_train_options *options = context;
    temper_train_progress shown = {.phase = TEMPER_PHASE_CLEAN,
                                   .iteration = audit->done,
                                   .max_iterations = audit->all,
                                   .objective = (double)NAN,
                                   .gradient = (double)NAN,
                                   .tolerance = options->tolerance,
                                   .accuracy = (double)NAN,
                                   .validation = (double)NAN,
                                   .seconds = audit->seconds};
    return options->on_progress ? options->on_progress(options->progress_context, &shown) : 0;
}

/* Adds what the audit before the training has found. Its warnings come first. */
static void add_cleaned(const struct cleaned_rows *cleaned, temper_train_report *report)
{
    temper_warnings warnings = cleaned->warnings;
    for (size_t i = 0; i < report->warnings.count; i++)
        warning_append(&warnings, report->warnings.list[i].code, "%s", report->warnings.list[i].text);
    report->warnings = warnings;
    report->cleaned_rows = cleaned->changed;
    report->expected_wrong = cleaned->wrong;
    report->seconds += cleaned->seconds;
}

/* Trains on these rows, and completes the model. */
static temper_status train_rows(const struct dataset *data, const temper_train_options *options, struct model **model,
                                temper_train_report *report, temper_error *error)
{
    struct model *trained;
    TRY(train(data, options, &trained, report, error));
    report->cleaned_rows = 0;
    report->expected_wrong = (double)NAN;
    report->expected = holdout_none("none");
    temper_status status = complete_model(data, options, trained, report, error);
    if (status == TEMPER_OK)
        *model = trained;
    else
        model_free(trained);
    return status;
}

/* Audits the rows, then trains on what is believed. */
static temper_status train_cleaned(const struct dataset *data, const temper_train_options *options,
                                   struct model **model, temper_train_report *report, temper_error *error)
{
    struct label_noise_progress progress = {report_clean_phase, (void *)options};
    TRY(train_check(data, options, error));
    struct cleaned_rows *cleaned = mem_zeroed(1, sizeof *cleaned);
    if (!cleaned)
        return error_no_memory(error);
    temper_status status = clean_labels(data, options, progress, cleaned, error);
    if (status == TEMPER_OK)
        status = train_rows(cleaned->data, options, model, report, error);
    dataset_free(cleaned->data);
    if (status == TEMPER_OK)
        add_cleaned(cleaned, report);
    mem_free(cleaned);
    return status;
}

/* Folds of the caller, before anything is fitted. */
static temper_status check_given_folds(const struct dataset *data, const temper_train_options *options,
                                       temper_error *error)
{
    if (!options->fold)
        return TEMPER_OK;
    if (!comm_alone(data->ranks.comm))
        return error_set(error, TEMPER_USAGE, "folds of the rows can be given to one process only; leave `fold` NULL");
    return split_check_given(data, options->fold, options->folds, error);
}

/* Checks, trains, and compares the file with what it was. The model is freed by the caller, on failure too. */
static temper_status train_checked(const struct dataset *data, const temper_train_options *options,
                                   struct model **model, temper_train_report *report, temper_error *error)
{
    temper_train_options full = *options;
    TRY(calibrate_check(&full, error));
    TRY(clean_check(&full, error));
    TRY(holdout_check(&full, error));
    TRY(check_given_folds(data, &full, error));
    if (full.estimate_noise)
        TRY(label_noise_check(data, &full, error));
    if (full.threads == 0)
        full.threads = thread_count_default(); /* files are read for it: once for all fits */
    TRY((wants_clean(&full) ? train_cleaned : train_rows)(data, &full, model, report, error));
    return dataset_check_unchanged(data, error);
}

/* Trains on all rows; NULL options mean the defaults, and `report` may be NULL. Outputs are set on success only. */
temper_status temper_train(const temper_data *data, const temper_train_options *options, temper_model **model,
                           temper_train_report *report, temper_error *error)
{
    temper_train_options full;
    struct model *trained = NULL;
    temper_train_report made;
    TRY(api_train_options(&full, options, error));
    temper_status status = train_checked(dataset_of(data), &full, &trained, &made, error);
    status = comm_end(dataset_of(data)->ranks.comm, status, error);
    if (status != TEMPER_OK) {
        model_free(trained);
        return status;
    }
    if (report)
        *report = made;
    *model = (temper_model *)trained;
    return TEMPER_OK;
}

/* ---- Tuning ------------------------------------------------------------------------------------------------------ */

/* Ten folds, and the training defaults for the final fit. */
temper_tune_options temper_tune_defaults(void)
{
    temper_tune_options options = {.struct_size = sizeof options, .folds = 10, .train = temper_train_defaults()};
    options.train.checkpoint_seconds = 2; /* a table of candidates is small, so it is saved more often than weights */
    return options;
}

/* The progress of an audit, as that of the tuning it belongs to. */
struct tune_noise_phase {
    const temper_tune_options *options;
    double seconds; /* before the audit */
};

static int report_tune_noise(void *context, const temper_tune_progress *audit)
{
    const struct tune_noise_phase *phase = context;
    temper_tune_progress shown = *audit;
    shown.seconds += phase->seconds;
    return phase->options->on_progress ? phase->options->on_progress(phase->options->progress_context, &shown) : 0;
}

/* Estimates the noise of the labels with the loss that was selected. An interruption leaves the model without it. */
static temper_status add_noise(const struct dataset *data, const temper_tune_options *options, struct model *model,
                               temper_tune_report *report, temper_error *error)
{
    struct tune_noise_phase phase = {options, report->seconds};
    struct label_noise_progress progress = {report_tune_noise, &phase};
    double started = train_clock();
    temper_status status = label_noise_estimate(data, &options->train, progress, model, &report->warnings, error);
    report->seconds += train_clock() - started;
    if (status == TEMPER_INTERRUPTED)
        report->training.stop = TEMPER_STOP_INTERRUPTED;
    return status == TEMPER_INTERRUPTED ? TEMPER_OK : status;
}

/* Tunes on these rows, and completes the model, unless that is NULL. */
static temper_status tune_rows(const struct dataset *data, const temper_tune_options *options, struct model **model,
                               temper_tune_report *report, temper_error *error)
{
    struct model *tuned = NULL;
    bool estimates = model && options->train.estimate_noise;
    TRY(tune(data, options, model ? &tuned : NULL, report, error));
    report->training.cleaned_rows = 0;
    report->training.expected_wrong = (double)NAN;
    report->training.expected = holdout_none("none"); /* the report of the tuning has its own */
    if (estimates && tuned && !report->interrupted) {
        temper_status status = add_noise(data, options, tuned, report, error);
        if (status != TEMPER_OK) {
            model_free(tuned);
            temper_tune_report_free(report);
            return status;
        }
    }
    if (model)
        *model = tuned;
    return TEMPER_OK;
}

/* Audits the rows, then tunes on what is believed. */
static temper_status tune_cleaned(const struct dataset *data, const temper_tune_options *options, struct model **model,
                                  temper_tune_report *report, temper_error *error)
{
    struct label_noise_progress progress = {options->on_progress, options->progress_context};
    struct cleaned_rows cleaned;
    TRY(clean_labels(data, &options->train, progress, &cleaned, error));
    temper_status status = tune_rows(cleaned.data, options, model, report, error);
    dataset_free(cleaned.data);
    if (status != TEMPER_OK)
        return status;
    for (size_t i = 0; i < cleaned.warnings.count; i++)
        warning_append(&report->warnings, cleaned.warnings.list[i].code, "%s", cleaned.warnings.list[i].text);
    report->training.cleaned_rows = cleaned.changed;
    report->training.expected_wrong = cleaned.wrong;
    report->seconds += cleaned.seconds;
    return TEMPER_OK;
}

/* Refuses data and options of which the noise of the labels cannot be estimated, before the search. The losses of the
 * grid are checked by tune() itself. */
static temper_status check_noise(const struct dataset *data, const temper_tune_options *options,
                                 struct model *const *model, temper_error *error)
{
    temper_train_options two_temperature = options->train;
    if (!model || !options->train.estimate_noise)
        return TEMPER_OK;
    two_temperature.loss = temper_train_defaults().loss;
    return label_noise_check(data, &two_temperature, error);
}

/* Tunes on all rows or on what is believed of them. The report is made on the heap, as it takes 19 KiB. Several
 * processes end here together. */
static temper_status tune_reported(const struct dataset *data, const temper_tune_options *options, struct model **model,
                                   temper_tune_report *report, temper_error *error)
{
    temper_tune_report *made = mem_zeroed(1, sizeof *made);
    temper_status status = made ? check_noise(data, options, model, error) : error_no_memory(error);
    if (status == TEMPER_OK && made)
        status = (wants_clean(&options->train) ? tune_cleaned : tune_rows)(data, options, model, made, error);
    if (status == TEMPER_OK)
        status = dataset_check_unchanged(data, error);
    status = comm_end(data->ranks.comm, status, error);
    if (status == TEMPER_OK && report)
        *report = *made;
    else
        temper_tune_report_free(made);
    mem_free(made);
    return status;
}

temper_status temper_fit_folds(const temper_data *data, const temper_train_options *options,
                               const temper_fold_path *path, temper_error *error)
{
    temper_train_options full = temper_train_defaults();
    TRY(api_train_options(&full, options, error));
    return fold_path(dataset_of(data), &full, path, error);
}

/* Tunes, and trains the final model unless `model` is NULL. Outputs are set on success only. */
temper_status temper_tune(const temper_data *data, const temper_tune_options *options, temper_model **model,
                          temper_tune_report *report, temper_error *error)
{
    temper_tune_options full = temper_tune_defaults();
    struct model *tuned = NULL;
    TRY(api_nested_options(&full, sizeof full, options, "tune", error));
    TRY(clean_check(&full.train, error));
    if (full.fold && !full.train.fold) {
        full.train.fold = full.fold;
        full.train.folds = full.folds;
    }
    temper_status status = tune_reported(dataset_of(data), &full, model ? &tuned : NULL, report, error);
    if (status != TEMPER_OK) {
        model_free(tuned);
        return status;
    }
    if (model)
        *model = (temper_model *)tuned;
    return TEMPER_OK;
}

/* The report itself belongs to the caller. Pointers are reset, so freeing twice is harmless. */
void temper_tune_report_free(temper_tune_report *report)
{
    if (!report)
        return;
    mem_free(report->table);
    mem_free(report->fold);
    mem_free(report->ask);
    mem_free(report->ask_label);
    report->table = NULL;
    report->fold = NULL;
    report->ask = NULL;
    report->ask_label = NULL;
    report->count = report->ask_count = 0;
}

/* ---- Auditing ---------------------------------------------------------------------------------------------------- */

/* Five folds; `choose`: the audit selects the loss itself. */
temper_audit_options temper_audit_defaults(void)
{
    temper_audit_options options = {
        .struct_size = sizeof options, .folds = 5, .choose = 1, .train = temper_train_defaults()};
    options.train.tolerance = (double)NAN; /* the audit chooses one that suffices for a ranking */
    return options;
}

/* Scores every row. scores[row] (may be NULL) is in the order of the data, the suspects of the report in the order of
 * suspicion. A report that the caller does not want is still computed, since the scores come from it. */
temper_status temper_audit(const temper_data *data, const temper_audit_options *options, double *scores,
                           temper_audit_report *report, temper_error *error)
{
    temper_audit_options full = temper_audit_defaults();
    temper_audit_report made;
    TRY(api_nested_options(&full, sizeof full, options, "audit", error));
    temper_status audited = audit(dataset_of(data), &full, &made, error), status = audited;
    if (status == TEMPER_OK)
        status = dataset_check_unchanged(dataset_of(data), error);
    status = comm_end(dataset_of(data)->ranks.comm, status, error);
    if (status != TEMPER_OK) {
        if (audited == TEMPER_OK)
            temper_audit_report_free(&made);
        return status;
    }
    /* Suspects are sorted by score; the array is in the order of the rows. */
    for (size_t i = 0; scores && i < made.rows; i++)
        scores[made.suspects[i].row] = made.suspects[i].score;
    if (report)
        *report = made;
    else
        temper_audit_report_free(&made);
    return TEMPER_OK;
}

/* `out` may be partly filled after a failure; `named` is set on success only. */
temper_status temper_audit_read_probabilities(const char *path, const temper_data *data, double *out, int *named,
                                              temper_error *error)
{
    bool by_names;
    TRY(probabilities_read(path, dataset_of(data), out, &by_names, error));
    if (named)
        *named = by_names;
    return TEMPER_OK;
}

/* The report itself belongs to the caller. Pointers are reset, so freeing twice is harmless. */
void temper_audit_report_free(temper_audit_report *report)
{
    if (!report)
        return;
    mem_free(report->suspects);
    mem_free(report->transition);
    mem_free(report->neighbours);
    audit_health_free(report->health);
    report->suspects = NULL;
    report->transition = NULL;
    report->neighbours = NULL;
    report->health = NULL;
    report->rows = 0;
}

/* The scores of kind "label" are probabilities, so their mean is the expected share. */
double temper_audit_precision(const temper_audit_report *report, size_t count)
{
    double sum = 0;
    if (report->by_row || count == 0 || count > report->rows)
        return (double)NAN;
    for (size_t i = 0; i < count; i++)
        sum += report->suspects[i].score;
    return sum / (double)count;
}

/* The means of the bounds of the rows, as if the errors of all rows had the same sign: the noise rate, of which they
 * come, is common to all. NAN with more than two classes, for which rows have no bounds. */
void temper_audit_precision_range(const temper_audit_report *report, size_t count, double *low, double *high)
{
    double sum[2] = {0};
    bool known = !report->by_row && count > 0 && count <= report->rows;
    for (size_t i = 0; known && i < count; i++) {
        sum[0] += report->suspects[i].low;
        sum[1] += report->suspects[i].high;
    }
    *low = known ? sum[0] / (double)count : (double)NAN;
    *high = known ? sum[1] / (double)count : (double)NAN;
}

/* Applies the suggestions for the first `count` suspects: "drop", "relabel" or "weight", checked by audit_fix. *fixed
 * is set on success only. */
temper_status temper_audit_fix(const temper_data *data, const temper_audit_report *report, size_t count,
                               const char *how, temper_data **fixed, temper_error *error)
{
    struct dataset *made = NULL;
    TRY(audit_fix(dataset_of(data), report, count, how, &made, error));
    *fixed = (temper_data *)made;
    return TEMPER_OK;
}

/* Checks the paths and formats before an audit that may take hours, so that its result is not lost. */
temper_status temper_audit_fix_check(const temper_audit_fix_file *file, temper_error *error)
{
    return audit_fix_check(file, error);
}

/* Writes the corrected data as a file. The results go to *file on success only, so a failed call leaves the caller's
 * struct unchanged. */
temper_status temper_audit_fix_write(const temper_data *data, const temper_audit_report *report, size_t count,
                                     temper_audit_fix_file *file, temper_error *error)
{
    temper_audit_fix_file made = *file;
    TRY(audit_fix_write(dataset_of(data), report, count, &made, error));
    *file = made;
    return TEMPER_OK;
}

/* Both outputs are set on success only. */
temper_status temper_audit_apply(const temper_data *data, const char *corrections, temper_audit_fix_file *file,
                                 temper_corrections *summary, temper_error *error)
{
    temper_audit_fix_file made = *file;
    temper_corrections found = {0};
    TRY(scatter_refuse(dataset_of(data), "applying corrections", error));
    TRY(audit_apply(dataset_of(data), corrections, &made, &found, error));
    *file = made;
    if (summary)
        *summary = found;
    return TEMPER_OK;
}

/* The page needs the rows of the report; it has no other link to the data than their number. */
static temper_status check_same_rows(const temper_data *data, const temper_audit_report *report, temper_error *error)
{
    if (report->rows == temper_data_rows(data))
        return TEMPER_OK;
    return error_set(error, TEMPER_USAGE, "this audit is of %s rows, and the data has %s; audit it again",
                     count_shown(report->rows).text, count_shown(temper_data_rows(data)).text);
}

/* The section of the rows is made first: the head of the page depends on it. */
temper_status temper_audit_page(const temper_data *data, const temper_audit_report *report, size_t count,
                                const temper_audit_options *options, temper_text *html, temper_error *error)
{
    const struct dataset *set = dataset_of(data);
    temper_audit_options full = temper_audit_defaults();
    struct audit_page page = {.report = report,
                              .count = count < report->rows ? count : report->rows,
                              .source = set->file.path,
                              .dropped = set->file.missing_dropped,
                              .class_names = (const char *const *)set->classes.name};
    struct text out = {0}, section = {0};
    TRY(api_nested_options(&full, sizeof full, options, "audit", error));
    TRY(check_same_rows(data, report, error));
    TRY(scatter_refuse(set, "a page", error));
    temper_status status = review_audit(set, report, page.count, &full.train, &section, error);
    if (status == TEMPER_OK && section.failed)
        status = error_no_memory(error);
    if (status == TEMPER_OK) {
        page.review = section.bytes;
        audit_page_write(&out, &page);
    }
    text_free(&section);
    return api_publish_text(&out, status, html, error);
}

temper_status temper_audit_report_to_html(const temper_data *data, const temper_audit_report *report, size_t count,
                                          temper_text *html, temper_error *error)
{
    return temper_audit_page(data, report, count, NULL, html, error);
}

/* A part of a page that the caller writes. */
temper_status temper_tune_ask_section(const temper_data *data, const temper_model *model,
                                      const temper_tune_report *report, const char *output, temper_text *section,
                                      temper_error *error)
{
    struct text out = {0};
    TRY(scatter_refuse(dataset_of(data), "a page", error));
    temper_status status = review_ask(dataset_of(data), model_of(model), report, output, &out, error);
    return api_publish_text(&out, status, section, error);
}

/* The report must be of this data: rows are named by their place in the file, classes by their names. */
temper_status temper_audit_health_to_json(const temper_data *data, const temper_audit_report *report, temper_text *json,
                                          temper_error *error)
{
    struct text out = {0};
    const struct dataset *set = dataset_of(data);
    if (!report->health)
        return error_set(error, TEMPER_USAGE, "this audit has no health of the data set; set options.health");
    if (report->classes != set->classes.count)
        return error_set(error, TEMPER_USAGE, "this audit is of other data; audit it again");
    temper_status status = health_write(&out, report, (const char *const *)set->classes.name, error);
    return api_publish_text(&out, status, json, error);
}
