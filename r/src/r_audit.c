/* r_audit: which labels are probably wrong, as columns of a table. */
#include <stddef.h>
#include <string.h>

#include "r_temper.h"

static void audit_finalize(SEXP pointer)
{
    temper_audit_report *report = R_ExternalPtrAddr(pointer);
    if (report)
        temper_audit_report_free(report);
    R_Free(report);
    R_ClearExternalPtr(pointer);
}

/* ---- Suspects -------------------------------------------------------------------------------- */

/* Rows and classes are counted from 1, as in R. */
static SEXP suspects_of(const temper_audit_report *report)
{
    const char *names[] = {"row",    "given",    "suggested",  "conflict", "score", "probability",
                           "margin", "distance", "importance", "low",      "high",  ""};
    static const size_t offsets[] = {
#define OFFSET(field) offsetof(temper_audit_suspect, field)
        OFFSET(score),      OFFSET(probability), OFFSET(margin), OFFSET(distance),
        OFFSET(importance), OFFSET(low),         OFFSET(high),
#undef OFFSET
    };
    R_xlen_t rows = (R_xlen_t)report->rows;
    SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
    double *row = REAL(SET_VECTOR_ELT(list, 0, Rf_allocVector(REALSXP, rows)));
    int *given = INTEGER(SET_VECTOR_ELT(list, 1, Rf_allocVector(INTSXP, rows)));
    int *suggested = INTEGER(SET_VECTOR_ELT(list, 2, Rf_allocVector(INTSXP, rows)));
    int *conflict = LOGICAL(SET_VECTOR_ELT(list, 3, Rf_allocVector(LGLSXP, rows)));
    for (R_xlen_t i = 0; i < rows; i++) {
        const temper_audit_suspect *s = &report->suspects[i];
        row[i] = (double)s->row + 1;
        given[i] = (int)s->given + 1;
        suggested[i] = (int)s->suggested + 1;
        conflict[i] = s->conflict != 0;
    }
    for (size_t k = 0; k < sizeof offsets / sizeof *offsets; k++)
        SET_VECTOR_ELT(list, (R_xlen_t)(4 + k),
                       column_of(report->suspects, report->rows, sizeof *report->suspects, offsets[k]));
    UNPROTECT(1);
    return list;
}

/* Given class x true class, or NULL: the library has [true * classes + given], which is that in the order of R. */
static SEXP transition_of(const temper_audit_report *report)
{
    if (!report->transition)
        return R_NilValue;
    SEXP matrix = PROTECT(Rf_allocMatrix(REALSXP, (int)report->classes, (int)report->classes));
    memcpy(REAL(matrix), report->transition, report->classes * report->classes * sizeof(double));
    UNPROTECT(1);
    return matrix;
}

static SEXP summary_of(const temper_audit_report *r)
{
    const char *names[] = {"supported", "wrong",     "wrong_low", "wrong_high", "accuracy",  "t1",
                           "t2",        "l2",        "folds",     "gain",       "certainty", "conflicts",
                           "seconds",   "undecided", "notes",     "warnings",   ""};
    SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
    const double numbers[] = {
        (double)r->supported, r->wrong, r->wrong_low, r->wrong_high,        r->accuracy, r->loss.t1, r->loss.t2, r->l2,
        (double)r->folds,     r->gain,  r->certainty, (double)r->conflicts, r->seconds};
    int i = 0;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        SET_VECTOR_ELT(list, i++, Rf_ScalarReal(numbers[k]));
    SET_VECTOR_ELT(list, i++, Rf_ScalarLogical(r->undecided));
    SET_VECTOR_ELT(list, i++, Rf_ScalarString(text_of(r->notes)));
    SET_VECTOR_ELT(list, i++, warning_texts(&r->warnings));
    UNPROTECT(1);
    return list;
}

/* ---- The audit ------------------------------------------------------------------------------- */

static SEXP audited_of(const temper_audit_report *report)
{
    const char *names[] = {"suspects", "transition", "report", ""};
    SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(list, 0, suspects_of(report));
    SET_VECTOR_ELT(list, 1, transition_of(report));
    SET_VECTOR_ELT(list, 2, summary_of(report));
    UNPROTECT(1);
    return list;
}

/* Temperatures that are given are not chosen. */
static bool audit_options_of(SEXP options, temper_audit_options *audit, temper_error *error)
{
    if (!train_options_of(options, &audit->train, error))
        return false;
    audit->kind = option_text(options, "kind");
    audit->folds = option_count(options, "folds", audit->folds);
    audit->choose = option_number(options, "choose", audit->choose) != 0;
    audit->grid = option_text(options, "grid");
    SEXP probabilities = option_value(options, "probabilities"); /* classes x rows: those of a row are together */
    audit->probabilities = probabilities == R_NilValue ? NULL : REAL(probabilities);
    return true;
}

SEXP temper_r_audit(SEXP data, SEXP options)
{
    struct call_watch *watch;
    temper_audit_options audit = temper_audit_defaults();
    temper_error error;
    temper_status status = TEMPER_USAGE;
    SEXP result = R_NilValue;
    PROTECT(watch_holder(&watch));
    SEXP owner = PROTECT(block_holder(sizeof(temper_audit_report), audit_finalize));
    temper_audit_report *report = R_ExternalPtrAddr(owner);
    audit.on_progress = watch_tuning;
    audit.progress_context = watch;
    if (audit_options_of(options, &audit, &error))
        status = temper_audit(data_of(data), &audit, NULL, report, &error);
    if (status == TEMPER_OK)
        result = audited_of(report);
    else if (status != TEMPER_INTERRUPTED)
        result = failure_of(&error);
    PROTECT(result);
    audit_finalize(owner);
    UNPROTECT(3);
    return result;
}
