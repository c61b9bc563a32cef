/* label_noise: the transition matrix of an audit, with rows that sum to 1.
 *
 * In the matrix rows count by their weights, since the calibrated probabilities that it is applied to are those of the
 * weighted rows: with class weights w the labels g of class c have shares proportional to w_g T(c, g), not to T(c, g).
 * The rate, which is for people and for more classes than a matrix has, is a share of the labels. */
#include "audit/label_noise.h"

#include "audit/audit.h"
#include "base/memory.h"
#include "base/text.h"
#include "train/train.h"

enum { FOLDS = 5 };

/* A class that no row seems to have keeps its label. Takes over the table. */
static void take_transition(struct audited_weights *weights, struct model *model)
{
    size_t classes = model->classes.count;
    struct label_noise noise = {.known = true, .rate = weights->wrong / weights->rows, .transition = weights->joint};
    for (size_t c = 0; noise.transition && c < classes; c++) {
        double *row = noise.transition + c * classes, sum = 0;
        for (size_t g = 0; g < classes; g++)
            sum += row[g];
        for (size_t g = 0; g < classes; g++)
            row[g] = sum > 0 ? row[g] / sum : (double)(c == g);
    }
    mem_free(model->noise.transition);
    model->noise = noise;
}

/* Appends the warnings of the audit. Those about its list of rows, which is not returned here, are reworded. */
static void append_warnings(const temper_audit_report *report, temper_warnings *to)
{
    for (size_t i = 0; i < report->warnings.count; i++) {
        const temper_warning *warning = &report->warnings.list[i];
        if (warning->code == TEMPER_WARNING_MOSTLY_WRONG)
            warning_append(to, warning->code,
                           "more than half of the labels look wrong: either the features contain little information "
                           "about them, or the classes are named wrongly; do not trust the probabilities of true "
                           "labels");
        else if (warning->code == TEMPER_WARNING_FEW_ROWS)
            warning_append(to, warning->code,
                           "with %zu rows the estimated noise of the labels is a guess, and so are the probabilities "
                           "of true labels; give more rows",
                           (size_t)report->rows);
        else
            warning_append(to, warning->code, "%s", warning->text);
    }
}

/* The fits of the audit have the tolerance of the training; options that refer to a single training do not apply. */
static temper_audit_options options_of_audit(const temper_train_options *options)
{
    temper_audit_options audit_options = {.folds = FOLDS, .train = *options};
    audit_options.train.on_progress = NULL;
    audit_options.train.starts = 1;
    audit_options.train.init = NULL;
    if (options->fold) {
        audit_options.fold = options->fold;
        audit_options.folds = options->folds;
    }
    return audit_options;
}

temper_status label_noise_check(const struct dataset *data, const temper_train_options *options, temper_error *error)
{
    temper_audit_options audit_options = options_of_audit(options);
    TRY(train_check(data, &audit_options.train, error));
    /* The message of the audit names its folds, which are no option of training. */
    if (dataset_all_rows(data) < 2 * (uint64_t)FOLDS)
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: %llu rows are too few to estimate the noise of their labels, which takes %d; give more "
                         "rows, or train without --estimate-noise",
                         data->file.path ? data->file.path : "data", (unsigned long long)dataset_all_rows(data),
                         2 * FOLDS);
    return audit_check(data, &audit_options, error);
}

temper_status label_noise_estimate(const struct dataset *data, const temper_train_options *options,
                                   struct label_noise_progress progress, struct model *model, temper_warnings *warnings,
                                   temper_error *error)
{
    temper_audit_options audit_options = options_of_audit(options);
    temper_audit_report report = {0};
    struct audited_weights weights = {0};
    audit_options.train.loss = model->loss;
    audit_options.train.l2 = model->l2;
    audit_options.on_progress = progress.call;
    audit_options.progress_context = progress.context;
    TRY(audit_weighted(data, &audit_options, &weights, &report, error));
    take_transition(&weights, model);
    append_warnings(&report, warnings);
    temper_audit_report_free(&report);
    return TEMPER_OK;
}
