/* r_model: a trained model: its predictions, its weights and its files. */
#include <string.h>

#include "r_temper.h"

/* ---- Life ------------------------------------------------------------------------------------ */

static void model_finalize(SEXP pointer)
{
    temper_model_free(R_ExternalPtrAddr(pointer));
    R_ClearExternalPtr(pointer);
}

SEXP model_holder(void)
{
    SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
    R_RegisterCFinalizerEx(pointer, model_finalize, TRUE);
    UNPROTECT(1);
    return pointer;
}

temper_model *model_of(SEXP pointer)
{
    temper_model *model = TYPEOF(pointer) == EXTPTRSXP ? R_ExternalPtrAddr(pointer) : NULL;
    if (!model)
        Rf_error("this model is not valid any more");
    return model;
}

/* A pointer that was saved with a workspace and read again is empty. */
SEXP temper_r_is_valid(SEXP model)
{
    return Rf_ScalarLogical(TYPEOF(model) == EXTPTRSXP && R_ExternalPtrAddr(model) != NULL);
}

SEXP temper_r_version(void)
{
    return Rf_mkString(temper_version());
}

/* ---- Predictions ------------------------------------------------------------------------------ */

SEXP temper_r_predict(SEXP model, SEXP data, SEXP output, SEXP threads)
{
    const temper_data *rows = data_of(data);
    temper_prediction kind = (temper_prediction)Rf_asInteger(output);
    size_t width = temper_prediction_width(model_of(model), kind);
    temper_error error;
    if (width == 0)
        return R_NilValue;
    SEXP numbers = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)(temper_data_rows(rows) * width)));
    temper_status status =
        temper_predict(model_of(model), rows, kind, (size_t)Rf_asReal(threads), REAL(numbers), &error);
    SEXP result = status == TEMPER_OK ? numbers : failure_of(&error);
    UNPROTECT(1);
    return result;
}

SEXP temper_r_importance(SEXP model, SEXP data, SEXP threads)
{
    const temper_data *rows = data_of(data);
    temper_error error;
    if (!temper_loss_is_two_temperature(temper_model_loss(model_of(model))))
        return R_NilValue;
    SEXP numbers = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)temper_data_rows(rows)));
    temper_status status =
        temper_predict_importance(model_of(model), rows, (size_t)Rf_asReal(threads), REAL(numbers), &error);
    SEXP result = status == TEMPER_OK ? numbers : failure_of(&error);
    UNPROTECT(1);
    return result;
}

/* ---- Weights and words -------------------------------------------------------------------------- */

/* A matrix of (1 + features) x vectors, the first row being the intercepts. */
static SEXP coefficients_of(const temper_model *model)
{
    size_t vectors = temper_model_weight_vectors(model), features = temper_model_features(model);
    SEXP matrix = PROTECT(Rf_allocMatrix(REALSXP, (int)(features + 1), (int)vectors));
    for (size_t v = 0; v < vectors; v++) {
        double *to = REAL(matrix) + v * (features + 1);
        to[0] = temper_model_intercept(model, v);
        if (features > 0)
            memcpy(to + 1, temper_model_weights(model, v), features * sizeof *to);
    }
    UNPROTECT(1);
    return matrix;
}

static SEXP class_names_of(const temper_model *model)
{
    size_t classes = temper_model_classes(model);
    SEXP names = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)classes));
    for (size_t c = 0; c < classes; c++)
        SET_STRING_ELT(names, (R_xlen_t)c, text_of(temper_model_class_name(model, c)));
    UNPROTECT(1);
    return names;
}

/* NULL if the model knows no names. */
static SEXP feature_names_of(const temper_model *model)
{
    size_t features = temper_model_features(model);
    if (features == 0 || !temper_model_feature_name(model, 0))
        return R_NilValue;
    SEXP names = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)features));
    for (size_t j = 0; j < features; j++)
        SET_STRING_ELT(names, (R_xlen_t)j, text_of(temper_model_feature_name(model, j)));
    UNPROTECT(1);
    return names;
}

SEXP temper_r_describe(SEXP pointer)
{
    const char *names[] = {"classes",
                           "features",
                           "coefficients",
                           "loss",
                           "scale",
                           "solver",
                           "stop",
                           "t1",
                           "t2",
                           "l2",
                           "objective",
                           "accuracy",
                           "rows",
                           "iterations",
                           "seed",
                           "noise_rate",
                           "calibration_order",
                           "intercept",
                           ""};
    const temper_model *model = model_of(pointer);
    temper_model_summary s;
    char loss[TEMPER_LOSS_TEXT];
    temper_model_summarise(model, &s);
    temper_loss_format(temper_model_loss(model), loss);
    SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
    int i = 0;
    SET_VECTOR_ELT(list, i++, class_names_of(model));
    SET_VECTOR_ELT(list, i++, feature_names_of(model));
    SET_VECTOR_ELT(list, i++, coefficients_of(model));
    const char *const texts[] = {loss, s.scale, s.solver, s.stop};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        SET_VECTOR_ELT(list, i++, Rf_ScalarString(text_of(texts[k])));
    const double numbers[] = {s.t1,
                              s.t2,
                              s.l2,
                              s.objective,
                              s.accuracy,
                              (double)s.rows,
                              (double)s.iterations,
                              (double)s.seed,
                              s.noise_rate,
                              s.calibration_order};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        SET_VECTOR_ELT(list, i++, Rf_ScalarReal(numbers[k]));
    SET_VECTOR_ELT(list, i++, Rf_ScalarLogical(s.intercept));
    UNPROTECT(1);
    return list;
}

/* ---- Files -------------------------------------------------------------------------------------- */

static void text_finalize(SEXP pointer)
{
    temper_text *text = R_ExternalPtrAddr(pointer);
    temper_text_free(text);
    R_Free(text);
    R_ClearExternalPtr(pointer);
}

SEXP temper_r_to_bytes(SEXP model)
{
    SEXP holder = PROTECT(block_holder(sizeof(temper_text), text_finalize)), result;
    temper_text *text = R_ExternalPtrAddr(holder);
    temper_error error;
    if (temper_model_to_text(model_of(model), text, &error) == TEMPER_OK) {
        result = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)text->length));
        memcpy(RAW(result), text->bytes, text->length);
    } else {
        result = PROTECT(failure_of(&error));
    }
    text_finalize(holder);
    UNPROTECT(2);
    return result;
}

/* The model in its holder, or the failure. */
static SEXP model_or_failure(temper_status status, temper_model *model, SEXP holder, const temper_error *error)
{
    if (status != TEMPER_OK)
        return failure_of(error);
    R_SetExternalPtrAddr(holder, model);
    return holder;
}

SEXP temper_r_from_bytes(SEXP bytes)
{
    SEXP holder = PROTECT(model_holder());
    temper_model *model = NULL;
    temper_error error;
    temper_status status = temper_model_from_text((const char *)RAW(bytes), (size_t)Rf_xlength(bytes), &model, &error);
    SEXP result = model_or_failure(status, model, holder, &error);
    UNPROTECT(1);
    return result;
}

SEXP temper_r_load(SEXP path)
{
    SEXP holder = PROTECT(model_holder());
    temper_model *model = NULL;
    temper_error error;
    temper_status status = temper_model_load(Rf_translateChar(STRING_ELT(path, 0)), &model, &error);
    SEXP result = model_or_failure(status, model, holder, &error);
    UNPROTECT(1);
    return result;
}

SEXP temper_r_save(SEXP model, SEXP path)
{
    temper_error error;
    if (temper_model_save(model_of(model), Rf_translateChar(STRING_ELT(path, 0)), &error) != TEMPER_OK)
        return failure_of(&error);
    return R_NilValue;
}
