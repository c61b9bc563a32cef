/* from_arrays: a dataset from arrays of the caller, which are checked like the values of a file.
 *
 * The arrays are borrowed, however large they are, so that everything the library relies on later has to be checked
 * here: finite values, row starts that begin at 0 and do not decrease, columns that ascend within a row and are below
 * the number of columns. Labels are numbers and become classes, which are named by their decimals until the caller
 * names them. */
#include "data/from_arrays.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "data/read/elements.h"
#include "data/schema.h"
#include "data/weights.h"

/* ---- Features -------------------------------------------------------------------------------- */

/* Index of the first value that is not finite; x->nonzeros if there is none. Bytes are always finite. */
static size_t first_bad(const struct matrix *x)
{
    /* For dense data the number of values, zeros included. */
    size_t count = (size_t)x->nonzeros;
    switch (x->kind) {
    case MATRIX_F32:
        return first_not_finite_f32(x->dense, count);
    case MATRIX_F64:
        return first_not_finite_f64(x->dense, count);
    case MATRIX_CSR:
        return x->value64 ? first_not_finite_f64(x->value64, count) : first_not_finite_f32(x->value, count);
    /* No byte is infinite or NaN. */
    case MATRIX_U8:
        break;
    }
    return count;
}

/* Refuses values that are not finite. The message counts rows and columns from 0, as callers of a library do. */
static temper_status check_values(const struct matrix *x, temper_error *error)
{
    size_t bad = first_bad(x), row = 0;
    if (bad == x->nonzeros)
        return TEMPER_OK;
    /* Dense: row and column follow from the position. */
    if (x->kind != MATRIX_CSR)
        return error_set(error, TEMPER_BAD_DATA,
                         "the value in row %llu, column %llu, both counted from 0, is not finite; "
                         "replace it, or drop the row",
                         (unsigned long long)(bad / x->columns), (unsigned long long)(bad % x->columns));
    /* Only after a failure: a linear search for the row of an entry is cheap enough. */
    while (matrix_start(x, row + 1) <= bad)
        row++;
    return error_set(error, TEMPER_BAD_DATA,
                     "the value in row %zu, column %lu, both counted from 0, is not finite; "
                     "replace it, or drop the row",
                     row, (unsigned long)matrix_column(x, bad));
}

/* row_start must begin with 0 and never decrease; everything else relies on it. */
static temper_status check_starts(const struct matrix *x, temper_error *error)
{
    for (uint64_t row = 0; row <= x->rows; row++)
        /* The first entry has no predecessor: it is compared with 0, and must be 0 itself. */
        if (matrix_start(x, row) < (row ? matrix_start(x, row - 1) : 0) || matrix_start(x, 0) != 0)
            return error_set(error, TEMPER_BAD_DATA,
                             "entry %llu of row_start is %llu; begin with 0, and let none be below "
                             "the one before",
                             (unsigned long long)row, (unsigned long long)matrix_start(x, row));
    return TEMPER_OK;
}

/* A column index without truncation to 32 bits, since the caller's may be too large. */
static uint64_t stored_column(const struct matrix *x, uint64_t entry)
{
    return x->column64 ? x->column64[entry] : x->column[entry];
}

/* Columns of a row must ascend without duplicates and be below x->columns: products, searches by bisection and the end
 * of a row's known columns rely on the order. */
static temper_status check_columns(const struct matrix *x, temper_error *error)
{
    for (uint64_t row = 0; row < x->rows; row++) {
        /* Starts were checked before, so that the range is valid. */
        const uint64_t from = matrix_start(x, row), end = matrix_start(x, row + 1);
        for (uint64_t i = from; i < end; i++)
            if (stored_column(x, i) >= x->columns || (i > from && stored_column(x, i) <= stored_column(x, i - 1)))
                return error_set(error, TEMPER_BAD_DATA,
                                 "column %llu of row %llu is not below %llu, or not above the one "
                                 "before; sort the entries of each row, without duplicates",
                                 (unsigned long long)stored_column(x, i), (unsigned long long)row,
                                 (unsigned long long)x->columns);
    }
    return TEMPER_OK;
}

/* Checks everything that the library relies on later, in one pass over the entries. count_entries has checked
 * row_start before. */
static temper_status check_matrix(const struct matrix *x, temper_error *error)
{
    temper_status status = TEMPER_OK;
    /* Nothing could be learnt from either. */
    if (x->rows == 0 || x->columns == 0)
        return error_set(error, TEMPER_BAD_DATA, "there are %llu rows of %llu features; give some",
                         (unsigned long long)x->rows, (unsigned long long)x->columns);
    /* Only CSR rows have an order that could be violated. */
    if (x->kind == MATRIX_CSR)
        status = check_columns(x, error);
    return status == TEMPER_OK ? check_values(x, error) : status;
}

/* ---- Labels ---------------------------------------------------------------------------------- */

/* Converts labels to classes, named by their shortest decimals, as in files. */
static temper_status add_classes(struct dataset *data, const int *labels, temper_error *error)
{
    struct number_classes *seen = mem_zeroed(1, sizeof *seen);
    temper_status status = seen ? TEMPER_OK : error_no_memory(error);
    for (uint64_t i = 0; status == TEMPER_OK && i < data->x.rows; i++) {
        data->label[i] = classes_add_number(&data->classes, seen, (double)labels[i]);
        if (data->label[i] == CLASSES_NO_MEMORY)
            status = error_no_memory(error);
        else if (data->label[i] == CLASSES_FULL)
            status = error_set(error, TEMPER_BAD_DATA, "there are more than %s classes; are these labels?",
                               count_shown(MOST_CLASSES).text);
    }
    mem_free(seen);
    return status;
}

/* Labels are optional. Class numbers are final after sorting. */
static temper_status take_labels(struct dataset *data, const int *labels, temper_error *error)
{
    /* Data for prediction has none. */
    if (!labels)
        return TEMPER_OK;
    data->label = mem_alloc((size_t)data->x.rows, sizeof *data->label);
    if (!data->label)
        return error_no_memory(error);
    TRY(add_classes(data, labels, error));
    return dataset_sort_classes(data, error);
}

temper_status dataset_set_labels(struct dataset *data, const int *labels, temper_error *error)
{
    return take_labels(data, labels, error);
}

/* ---- Dataset -------------------------------------------------------------------------------- */

/* Sets the number of stored entries: the last row_start of a CSR matrix, the product of a dense one. */
static temper_status count_entries(struct matrix *x, temper_error *error)
{
    size_t count;
    /* A CSR matrix has as many entries as its last start says. */
    if (x->kind == MATRIX_CSR) {
        temper_status status = check_starts(x, error);
        x->nonzeros = status == TEMPER_OK ? matrix_start(x, x->rows) : 0;
        return status;
    }
    /* Dense: the product must fit a size. */
    if (!mul_size((size_t)x->rows, (size_t)x->columns, &count))
        return error_no_memory(error);
    x->nonzeros = count;
    return TEMPER_OK;
}

/* A dataset that borrows the arrays of x, which must outlive it unless x owns them; labels are copied. On failure the
 * arrays remain the caller's. */
temper_status dataset_from_matrix(const struct matrix *x, const int *labels, struct dataset **out, temper_error *error)
{
    struct dataset *data = mem_zeroed(1, sizeof *data);
    if (!data)
        return error_no_memory(error);
    /* A shallow copy: the arrays are shared with the caller. */
    data->x = *x;
    data->file.format = "arrays";
    temper_status status = count_entries(&data->x, error);
    if (status == TEMPER_OK)
        status = check_matrix(&data->x, error);
    if (status == TEMPER_OK)
        status = take_labels(data, labels, error);
    if (status != TEMPER_OK) {
        /* The caller keeps the arrays if this fails. */
        data->x = (struct matrix){0}; /* still the caller's */
        dataset_free(data);
        return status;
    }
    *out = data;
    return TEMPER_OK;
}

/* A matrix of no columns, whose array no code reads. */
temper_status dataset_from_labels(const int *labels, size_t rows, struct dataset **out, temper_error *error)
{
    if (rows == 0)
        return error_set(error, TEMPER_BAD_DATA, "there are no labels; give one for each row");
    struct dataset *data = mem_zeroed(1, sizeof *data);
    if (!data)
        return error_no_memory(error);
    data->x = (struct matrix){.kind = MATRIX_F64, .rows = rows};
    data->file.format = "arrays";
    temper_status status = take_labels(data, labels, error);
    if (status != TEMPER_OK) {
        dataset_free(data);
        return status;
    }
    *out = data;
    return TEMPER_OK;
}

/* Replaces the names of the classes, in the order of their numbers; names that are equal as labels are refused, since a
 * name identifies one class. The old names stay until all new ones are valid. */
temper_status dataset_name_classes(struct dataset *data, const char *const *names, temper_error *error)
{
    struct classes named = {0};
    temper_status status = TEMPER_OK;
    /* Number c must be the c-th name that is added; another number means a repeated name. */
    for (size_t c = 0; status == TEMPER_OK && c < data->classes.count; c++) {
        uint32_t number = classes_add(&named, names[c], strlen(names[c]));
        if (number == CLASSES_NO_MEMORY)
            status = error_no_memory(error);
        else if (number != c)
            status = error_set(error, TEMPER_BAD_DATA,
                               "two classes have the same name, '%.80s', or the same number; give "
                               "them different ones",
                               names[c]);
    }
    if (status != TEMPER_OK) {
        classes_free(&named);
        return status;
    }
    classes_free(&data->classes);
    data->classes = named;
    return TEMPER_OK;
}

/* Replaces the feature names by copies. All are copied before the old ones are freed. */
temper_status dataset_name_features(struct dataset *data, const char *const *names, temper_error *error)
{
    /* One name for each column of the matrix. */
    size_t count = (size_t)data->x.columns;
    /* `count` is set at once, since the names are zeroed. */
    struct names named = {.name = (char **)mem_zeroed(count, sizeof *named.name), .count = count};
    if (!named.name)
        return error_no_memory(error);
    for (size_t j = 0; j < count; j++)
        if (!copy_string(names[j], &named.name[j])) {
            names_free(&named);
            return error_no_memory(error);
        }
    names_free(&data->features);
    data->features = named;
    return TEMPER_OK;
}

/* Multiplies the weights of the rows by a copy of these, after the checks of weights_multiply. */
temper_status dataset_set_weights(struct dataset *data, const double *weights, temper_error *error)
{
    double *copy = mem_alloc((size_t)data->x.rows, sizeof *copy);
    if (!copy)
        return error_no_memory(error);
    /* The caller's array may change later. */
    memcpy(copy, weights, (size_t)data->x.rows * sizeof *copy);
    return weights_multiply(data, copy, error);
}
