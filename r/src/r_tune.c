/* r_tune: the choice of temperatures and penalty, as a table. */
#include <stddef.h>
#include <string.h>

#include "r_temper.h"

static void report_finalize(SEXP pointer)
{
    temper_tune_report *report = R_ExternalPtrAddr(pointer);
    if (report)
        temper_tune_report_free(report);
    R_Free(report);
    R_ClearExternalPtr(pointer);
}

/* The numbers of a candidate that are columns of the table, after "loss" and "stage". */
static const struct tune_column {
    const char *name;
    size_t offset;
} columns[] = {
    {"t1", offsetof(temper_tune_candidate, loss.t1)},
    {"t2", offsetof(temper_tune_candidate, loss.t2)},
    {"l2", offsetof(temper_tune_candidate, l2)},
    {"accuracy", offsetof(temper_tune_candidate, accuracy)},
    {"accuracy_error", offsetof(temper_tune_candidate, accuracy_error)},
    {"log_loss", offsetof(temper_tune_candidate, log_loss)},
    {"bounded_loss", offsetof(temper_tune_candidate, bounded_loss)},
    {"half_accuracy", offsetof(temper_tune_candidate, half_accuracy)},
    {"agreement", offsetof(temper_tune_candidate, agreement)},
    {"balance", offsetof(temper_tune_candidate, balance)},
    {"top_error", offsetof(temper_tune_candidate, top_error)},
    {"undecided", offsetof(temper_tune_candidate, undecided)},
    {"code_length", offsetof(temper_tune_candidate, code_length)},
};
enum { COLUMNS = sizeof columns / sizeof *columns, BEFORE = 2 };

/* A list of columns. */
static SEXP table_of(const temper_tune_report *report)
{
    const char *names[BEFORE + COLUMNS + 1] = {"loss", "stage"};
    for (size_t c = 0; c < COLUMNS; c++)
        names[BEFORE + c] = columns[c].name;
    names[BEFORE + COLUMNS] = "";
    SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
    SEXP losses = SET_VECTOR_ELT(list, 0, Rf_allocVector(STRSXP, (R_xlen_t)report->count));
    SEXP stages = SET_VECTOR_ELT(list, 1, Rf_allocVector(INTSXP, (R_xlen_t)report->count));
    for (size_t i = 0; i < report->count; i++) {
        char loss[TEMPER_LOSS_TEXT];
        temper_loss_format(report->table[i].loss, loss);
        SET_STRING_ELT(losses, (R_xlen_t)i, text_of(loss));
        INTEGER(stages)[i] = report->table[i].stage;
    }
    for (size_t c = 0; c < COLUMNS; c++)
        SET_VECTOR_ELT(list, (R_xlen_t)(BEFORE + c),
                       column_of(report->table, report->count, sizeof *report->table, columns[c].offset));
    UNPROTECT(1);
    return list;
}

/* What was chosen, and why. */
static SEXP choice_of(const temper_tune_report *r)
{
    const char *names[] = {"best",
                           "folds",
                           "gain",
                           "gain_error",
                           "expected_accuracy",
                           "expected_low",
                           "expected_high",
                           "default_l2",
                           "decided_by",
                           "reason",
                           "notes",
                           "warnings",
                           ""};
    SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
    const double numbers[] = {(double)r->best + 1,  (double)r->folds, r->gain,          r->gain_error,
                              r->expected_accuracy, r->expected_low,  r->expected_high, r->default_l2};
    const char *const texts[] = {r->decided_by, r->reason, r->notes};
    int i = 0;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        SET_VECTOR_ELT(list, i++, Rf_ScalarReal(numbers[k]));
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        SET_VECTOR_ELT(list, i++, Rf_ScalarString(text_of(texts[k])));
    SET_VECTOR_ELT(list, i++, warning_texts(&r->warnings));
    UNPROTECT(1);
    return list;
}

static SEXP tuned_of(SEXP holder, const temper_tune_report *report)
{
    const char *names[] = {"model", "table", "report", "training", "interrupted", ""};
    SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(list, 1, table_of(report));
    SET_VECTOR_ELT(list, 4, Rf_ScalarLogical(report->interrupted));
    if (!report->interrupted) {
        SET_VECTOR_ELT(list, 0, holder);
        SET_VECTOR_ELT(list, 2, choice_of(report));
        SET_VECTOR_ELT(list, 3, training_report_of(&report->training));
    }
    UNPROTECT(1);
    return list;
}

SEXP temper_r_tune(SEXP data, SEXP options)
{
    struct call_watch *watch;
    temper_tune_options tune = temper_tune_defaults();
    temper_error error;
    temper_model *model = NULL;
    SEXP holder = PROTECT(model_holder()), result;
    PROTECT(watch_holder(&watch));
    SEXP owner = PROTECT(block_holder(sizeof(temper_tune_report), report_finalize));
    temper_tune_report *report = R_ExternalPtrAddr(owner);
    bool fine = train_options_of(options, &tune.train, &error);
    tune.grid = option_text(options, "grid");
    tune.folds = option_count(options, "folds", tune.folds);
    tune.criterion = option_text(options, "criterion");
    tune.assume = option_text(options, "assume");
    tune.average = option_number(options, "average", 0) != 0;
    tune.on_progress = watch_tuning;
    tune.progress_context = watch;
    if (fine && temper_tune(data_of(data), &tune, &model, report, &error) == TEMPER_OK) {
        R_SetExternalPtrAddr(holder, model);
        result = PROTECT(tuned_of(holder, report));
    } else {
        result = PROTECT(failure_of(&error));
    }
    report_finalize(owner);
    UNPROTECT(4);
    return result;
}
