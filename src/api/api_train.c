/* api_train: training, tuning and auditing. Each call completes its options and publishes results only on success. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "api/api_internal.h"
#include "audit/audit.h"
#include "audit/label_noise.h"
#include "base/memory.h"
#include "report/audit_report.h"
#include "search/calibrate.h"
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

/* Trains on all rows; NULL options mean the defaults, and `report` may be NULL. Outputs are set on success only. */
temper_status temper_train(const temper_data *data, const temper_train_options *options, temper_model **model,
                           temper_train_report *report, temper_error *error)
{
    temper_train_options full;
    struct model *trained;
    temper_train_report made;
    TRY(api_train_options(&full, options, error));
    TRY(calibrate_check(&full, error));
    if (full.estimate_noise)
        TRY(label_noise_check(dataset_of(data), &full, error));
    TRY(train(dataset_of(data), &full, &trained, &made, error));
    temper_status status = complete_model(dataset_of(data), &full, trained, &made, error);
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

/* Tunes, and trains the final model unless `model` is NULL. Outputs are set on success only. */
temper_status temper_tune(const temper_data *data, const temper_tune_options *options, temper_model **model,
                          temper_tune_report *report, temper_error *error)
{
    temper_tune_options full = temper_tune_defaults();
    struct model *tuned = NULL;
    temper_tune_report made;
    TRY(api_nested_options(&full, sizeof full, options, "tune", error));
    bool estimates = model && full.train.estimate_noise;
    if (estimates) {
        /* The losses of the grid are checked by tune() itself. */
        temper_train_options two_temperature = full.train;
        two_temperature.loss = temper_train_defaults().loss;
        TRY(label_noise_check(dataset_of(data), &two_temperature, error));
    }
    TRY(tune(dataset_of(data), &full, model ? &tuned : NULL, &made, error));
    if (estimates && tuned && !made.interrupted) {
        temper_status status = add_noise(dataset_of(data), &full, tuned, &made, error);
        if (status != TEMPER_OK) {
            model_free(tuned);
            temper_tune_report_free(&made);
            return status;
        }
    }
    if (model)
        *model = (temper_model *)tuned;
    if (report)
        *report = made;
    else
        temper_tune_report_free(&made);
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
    TRY(audit(dataset_of(data), &full, &made, error));
    /* Suspects are sorted by score; the array is in the order of the rows. */
    for (size_t i = 0; scores && i < made.rows; i++)
        scores[made.suspects[i].row] = made.suspects[i].score;
    if (report)
        *report = made;
    else
        temper_audit_report_free(&made);
    return TEMPER_OK;
}

/* The report itself belongs to the caller. Pointers are reset, so freeing twice is harmless. */
void temper_audit_report_free(temper_audit_report *report)
{
    if (!report)
        return;
    mem_free(report->suspects);
    mem_free(report->transition);
    report->suspects = NULL;
    report->transition = NULL;
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

/* Shows the features as the file of the user has them; images only where they are stored as bytes. */
temper_status temper_audit_report_to_html(const temper_data *data, const temper_audit_report *report, size_t count,
                                          temper_text *html, temper_error *error)
{
    const struct dataset *set = dataset_of(data);
    struct audit_page page = {.report = report,
                              .count = count < report->rows ? count : report->rows,
                              .source = set->file.path,
                              .dropped = set->file.missing_dropped,
                              .class_names = (const char *const *)set->classes.name};
    struct text out = {0};
    /* The report has no other link to the data than the number of rows. */
    if (report->rows != set->x.rows)
        return error_set(error, TEMPER_USAGE, "this audit is of %zu rows, and the data has %zu; audit it again",
                         report->rows, temper_data_rows(data));
    if (set->x.kind == MATRIX_U8 && set->file.image_shape[2]) {
        /* Height, width and colours; scaled or one-hot features could not be shown as pixels. */
        memcpy(page.picture, set->file.image_shape, sizeof page.picture);
        page.pixels = set->x.dense;
    }
    audit_page_write(&out, &page);
    return api_publish_text(&out, TEMPER_OK, html, error);
}
