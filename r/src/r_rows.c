/* r_rows: rows, labels and weights of R as data of the library, which borrows the numbers. */
#include "r_temper.h"

static void data_finalize(SEXP pointer)
{
    temper_data_free(R_ExternalPtrAddr(pointer));
    R_ClearExternalPtr(pointer);
}

temper_data *data_of(SEXP pointer)
{
    temper_data *data = TYPEOF(pointer) == EXTPTRSXP ? R_ExternalPtrAddr(pointer) : NULL;
    if (!data)
        Rf_error("these rows are not valid any more");
    return data;
}

/* A matrix of features x rows: in R's order of columns, the features of a row are together. */
static temper_status borrow_matrix(SEXP x, const int *labels, temper_data **data, temper_error *error)
{
    return temper_data_borrow_f64(REAL(x), (size_t)Rf_ncols(x), (size_t)Rf_nrows(x), labels, data, error);
}

/* list(p, i, x, columns): the transposed matrix in compressed columns, which are rows. */
static temper_status borrow_sparse(SEXP x, const int *labels, temper_data **data, temper_error *error)
{
    SEXP starts = VECTOR_ELT(x, 0);
    temper_csr_any sparse = {.rows = (size_t)Rf_xlength(starts) - 1,
                             .columns = (size_t)Rf_asInteger(VECTOR_ELT(x, 3)),
                             .row_start = INTEGER(starts),
                             .column = INTEGER(VECTOR_ELT(x, 1)),
                             .value = REAL(VECTOR_ELT(x, 2)),
                             .row_start_size = sizeof(int),
                             .column_size = sizeof(int),
                             .value_size = sizeof(double)};
    return temper_data_borrow_csr_any(&sparse, labels, data, error);
}

typedef temper_status set_names_fn(temper_data *data, const char *const *names, temper_error *error);

static temper_status set_names(temper_data *data, SEXP names, set_names_fn *set, temper_error *error)
{
    if (names == R_NilValue)
        return TEMPER_OK;
    size_t count = (size_t)Rf_xlength(names);
    const char **texts = (const char **)R_alloc(count + 1, sizeof *texts);
    for (size_t i = 0; i < count; i++)
        texts[i] = Rf_translateCharUTF8(STRING_ELT(names, (R_xlen_t)i));
    return set(data, texts, error);
}

SEXP temper_r_data(SEXP x, SEXP labels, SEXP names, SEXP weights)
{
    /* The numbers live as long as the pointer, which protects them. */
    SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, x));
    const int *given = labels == R_NilValue ? NULL : INTEGER(labels);
    temper_data *data = NULL;
    temper_error error;
    R_RegisterCFinalizerEx(pointer, data_finalize, TRUE);
    temper_status status =
        TYPEOF(x) == VECSXP ? borrow_sparse(x, given, &data, &error) : borrow_matrix(x, given, &data, &error);
    R_SetExternalPtrAddr(pointer, data);
    if (status == TEMPER_OK)
        status = set_names(data, VECTOR_ELT(names, 0), temper_data_set_class_names, &error);
    if (status == TEMPER_OK)
        status = set_names(data, VECTOR_ELT(names, 1), temper_data_set_feature_names, &error);
    if (status == TEMPER_OK && weights != R_NilValue)
        status = temper_data_set_weights(data, REAL(weights), &error);
    SEXP result = status == TEMPER_OK ? pointer : failure_of(&error);
    UNPROTECT(1);
    return result;
}
