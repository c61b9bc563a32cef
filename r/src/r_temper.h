/* r_temper: what the files of the R package share. R's headers with prefixed names, and the public headers of temper.
 *
 * An error of R leaves a function by longjmp, so that nothing may be owned by a local variable where R allocates: what
 * the library returns belongs to an external pointer with a finalizer, which exists before the call. */
#ifndef R_TEMPER_H
#define R_TEMPER_H

#define R_NO_REMAP
#define STRICT_R_HEADERS
#include <R.h>
#include <Rinternals.h>
#include <pthread.h>
#include <stdbool.h>

#include "temper_extra.h"

/* ---- Values of R ----------------------------------------------------------------------------- */

/* list(status =, message =) of class "temper_failure": R code raises the condition. */
SEXP failure_of(const temper_error *error);
/* UTF-8; NULL becomes NA. */
SEXP text_of(const char *text);
/* The texts of warnings, each named by its code. */
SEXP warning_texts(const temper_warnings *warnings);

/* An external pointer to so many bytes of zeros, which the finalizer frees by R_Free, after what they own. */
SEXP block_holder(size_t bytes, R_CFinalizer_t finalize);
/* One field, a double, of `count` structs of `size` bytes each. */
SEXP column_of(const void *structs, size_t count, size_t size, size_t offset);

/* An element of a list by its name; R_NilValue if there is none. */
SEXP option_value(SEXP options, const char *name);
/* The same as a number, a count or a text: `standard`, or NULL, where it is absent or NULL. */
double option_number(SEXP options, const char *name, double standard);
size_t option_count(SEXP options, const char *name, size_t standard);
const char *option_text(SEXP options, const char *name);

/* ---- Objects of the library ------------------------------------------------------------------- */

/* Stops with an error where the pointer is no longer valid. */
temper_data *data_of(SEXP pointer);
temper_model *model_of(SEXP pointer);
/* An external pointer that will own a model: R_SetExternalPtrAddr after the call that makes one. */
SEXP model_holder(void);

/* ---- Options and progress --------------------------------------------------------------------- */

/* False, and the error filled, where the loss does not exist. */
bool train_options_of(SEXP options, temper_train_options *train, temper_error *error);

/* What goes with a call: has the user interrupted it, and the course of a training. */
struct call_watch {
    pthread_t caller; /* R may be called from its own thread alone */
    double looked;    /* when that was done last, in seconds since the call */
    bool interrupted;
    double *history; /* pairs of objective and gradient, one for each iteration */
    size_t count, capacity;
};

/* An external pointer that owns *watch. */
SEXP watch_holder(struct call_watch **watch);
/* A temper_train_progress_fn and a temper_tune_progress_fn; the context is the watch. */
int watch_training(void *context, const temper_train_progress *progress);
int watch_tuning(void *context, const temper_tune_progress *progress);

/* The report of a training as a list. */
SEXP training_report_of(const temper_train_report *report);

/* ---- What R calls ------------------------------------------------------------------------------ */

/* x: a matrix of features x rows, or list(p, i, x, columns) of compressed rows; labels: integers from 0, or NULL;
 * names: list(classes, features), each may be NULL; weights: numbers or NULL. An external pointer. */
SEXP temper_r_data(SEXP x, SEXP labels, SEXP names, SEXP weights);
/* list(model, report, history, interrupted) */
SEXP temper_r_train(SEXP data, SEXP options);
/* list(model, table, report, training, interrupted) */
SEXP temper_r_tune(SEXP data, SEXP options);
/* list(suspects, transition, report), or NULL where the user has interrupted it */
SEXP temper_r_audit(SEXP data, SEXP options);
/* Numbers of all rows, those of a row together; NULL if the model has no such prediction. */
SEXP temper_r_predict(SEXP model, SEXP data, SEXP output, SEXP threads);
/* The importance factor of each row. */
SEXP temper_r_importance(SEXP model, SEXP data, SEXP threads);
SEXP temper_r_describe(SEXP model);
/* The bytes of the model file, and back. */
SEXP temper_r_to_bytes(SEXP model);
SEXP temper_r_from_bytes(SEXP bytes);
SEXP temper_r_save(SEXP model, SEXP path);
SEXP temper_r_load(SEXP path);
SEXP temper_r_is_valid(SEXP model);
SEXP temper_r_version(void);

#endif
