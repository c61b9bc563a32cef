/* label_noise: the transition matrix of an audit, with rows that sum to 1. */
#include "audit/label_noise.h"

#include "audit/audit.h"
#include "base/memory.h"

enum { FOLDS = 5 };

/* The counts of the report are expected rows by [true][given]; a class that no row seems to have keeps its label. */
static temper_status take_transition(const temper_audit_report *report, struct model *model, temper_error *error)
{
    size_t classes = report->classes;
    struct label_noise noise = {.known = true, .rate = report->wrong / (double)report->rows};
    if (report->transition) {
        noise.transition = mem_alloc(classes, classes * sizeof *noise.transition);
        if (!noise.transition)
            return error_no_memory(error);
    }
    for (size_t c = 0; report->transition && c < classes; c++) {
        const double *counts = report->transition + c * classes;
        double sum = 0;
        for (size_t g = 0; g < classes; g++)
            sum += counts[g];
        for (size_t g = 0; g < classes; g++)
            noise.transition[c * classes + g] = sum > 0 ? counts[g] / sum : (double)(c == g);
    }
    mem_free(model->noise.transition);
    model->noise = noise;
    return TEMPER_OK;
}

/* The fits of the audit have the tolerance of the training; options that refer to a single training do not apply. */
static temper_audit_options options_of_audit(const temper_train_options *options)
{
    temper_audit_options audit_options = {.folds = FOLDS, .train = *options};
    audit_options.train.on_progress = NULL;
    audit_options.train.starts = 1;
    audit_options.train.init = NULL;
    return audit_options;
}

temper_status label_noise_check(const struct dataset *data, const temper_train_options *options, temper_error *error)
{
    temper_audit_options audit_options = options_of_audit(options);
    return audit_check(data, &audit_options, error);
}

temper_status label_noise_estimate(const struct dataset *data, const temper_train_options *options,
                                   struct label_noise_progress progress, struct model *model, temper_error *error)
{
    temper_audit_options audit_options = options_of_audit(options);
    temper_audit_report report = {0};
    audit_options.train.loss = model->loss;
    audit_options.train.l2 = model->l2;
    audit_options.on_progress = progress.call;
    audit_options.progress_context = progress.context;
    TRY(audit(data, &audit_options, &report, error));
    temper_status status = take_transition(&report, model, error);
    temper_audit_report_free(&report);
    return status;
}
