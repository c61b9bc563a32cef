/* r_train: training with options from a list, and its report. */
#include <math.h>
#include <string.h>

#include "r_temper.h"

/* The loss with the parameters that only it has; temperatures are options of their own. */
static bool loss_of(SEXP options, temper_loss_spec *loss, temper_error *error)
{
    const char *text = option_text(options, "loss");
    if (!text || temper_loss_parse(text, loss)) {
        loss->t1 = option_number(options, "t1", loss->t1);
        loss->t2 = option_number(options, "t2", loss->method == TEMPER_T_LOGISTIC ? 1.6 : loss->t2);
        return true;
    }
    error->status = TEMPER_USAGE;
    snprintf(error->message, sizeof error->message, "there is no loss '%.80s', or a parameter of it is out of range",
             text);
    return false;
}

bool train_options_of(SEXP options, temper_train_options *train, temper_error *error)
{
    train->l2 = option_number(options, "l2", NAN);
    train->scale = option_text(options, "scale");
    train->solver = option_text(options, "solver");
    train->precision = option_text(options, "precision");
    train->starts = option_count(options, "starts", train->starts);
    train->no_intercept = option_number(options, "intercept", 1) == 0;
    train->tolerance = option_number(options, "tol", train->tolerance);
    train->max_iterations = option_count(options, "max_iter", train->max_iterations);
    train->seed = (uint64_t)option_number(options, "seed", (double)train->seed);
    train->threads = option_count(options, "threads", 0);
    train->calibrate = option_text(options, "calibrate");
    train->estimate_noise = option_number(options, "estimate_noise", 0) != 0;
    train->clean = option_text(options, "clean");
    train->holdout = option_text(options, "holdout");
    return loss_of(options, &train->loss, error);
}

/* c(accuracy, low, high, rows), or NULL if it was not estimated. */
static SEXP expected_of(const temper_expected_accuracy *expected)
{
    const char *names[] = {"accuracy", "low", "high", "rows", ""};
    if (!expected->by)
        return R_NilValue;
    SEXP numbers = PROTECT(Rf_mkNamed(REALSXP, names));
    REAL(numbers)[0] = expected->accuracy;
    REAL(numbers)[1] = expected->low;
    REAL(numbers)[2] = expected->high;
    REAL(numbers)[3] = (double)expected->rows;
    UNPROTECT(1);
    return numbers;
}

SEXP training_report_of(const temper_train_report *r)
{
    const char *names[] = {"stop",         "solver",         "precision",  "l2",       "objective", "loss",
                           "gradient",     "accuracy",       "iterations", "passes",   "seconds",   "calibration_rows",
                           "cleaned_rows", "expected_wrong", "expected",   "warnings", ""};
    SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
    int i = 0;
    SET_VECTOR_ELT(list, i++, Rf_mkString(temper_stop_name(r->stop)));
    SET_VECTOR_ELT(list, i++, Rf_mkString(r->solver));
    SET_VECTOR_ELT(list, i++, Rf_mkString(r->precision));
    const double numbers[] = {r->l2,
                              r->objective,
                              r->train_loss,
                              r->gradient_norm,
                              r->accuracy,
                              (double)r->iterations,
                              r->passes,
                              r->seconds,
                              (double)r->calibration_rows,
                              (double)r->cleaned_rows,
                              r->expected_wrong};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        SET_VECTOR_ELT(list, i++, Rf_ScalarReal(numbers[k]));
    SET_VECTOR_ELT(list, i++, expected_of(&r->expected));
    SET_VECTOR_ELT(list, i++, warning_texts(&r->warnings));
    UNPROTECT(1);
    return list;
}

/* Iterations x (objective, gradient). */
static SEXP history_of(const struct call_watch *watch)
{
    SEXP history = PROTECT(Rf_allocMatrix(REALSXP, (int)watch->count, 2));
    for (size_t i = 0; i < watch->count; i++) {
        REAL(history)[i] = watch->history[2 * i];
        REAL(history)[watch->count + i] = watch->history[2 * i + 1];
    }
    UNPROTECT(1);
    return history;
}

SEXP temper_r_train(SEXP data, SEXP options)
{
    const char *names[] = {"model", "report", "history", "interrupted", ""};
    struct call_watch *watch;
    temper_train_options train = temper_train_defaults();
    temper_train_report report;
    temper_error error;
    temper_model *model;
    SEXP holder = PROTECT(model_holder()), watch_pointer = PROTECT(watch_holder(&watch)), result;
    train.on_progress = watch_training;
    train.progress_context = watch;
    if (!train_options_of(options, &train, &error) ||
        temper_train(data_of(data), &train, &model, &report, &error) != TEMPER_OK) {
        result = PROTECT(failure_of(&error));
    } else {
        R_SetExternalPtrAddr(holder, model);
        result = PROTECT(Rf_mkNamed(VECSXP, names));
        SET_VECTOR_ELT(result, 0, holder);
        SET_VECTOR_ELT(result, 1, training_report_of(&report));
        SET_VECTOR_ELT(result, 2, history_of(watch));
        SET_VECTOR_ELT(result, 3, Rf_ScalarLogical(watch->interrupted));
    }
    (void)watch_pointer;
    UNPROTECT(3);
    return result;
}
