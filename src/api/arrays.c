/* api: data from the caller's arrays. */
#include "data/from_arrays.h"

#include <string.h>

#include "base/memory.h"

static temper_status check_arguments(const void *x, temper_data *const *data, temper_error *error)
{
    if (x && data)
        return TEMPER_OK;
    return error_set(error, TEMPER_USAGE, "no numbers, or nowhere to put the data; give both");
}

static temper_status borrow(const struct matrix *x, const int *labels, temper_data **data, temper_error *error)
{
    struct dataset *made;
    temper_status status = dataset_from_matrix(x, labels, &made, error);
    if (status == TEMPER_OK)
        *data = (temper_data *)made;
    return status;
}

static temper_status borrow_dense(struct matrix x, const int *labels, temper_data **data, temper_error *error)
{
    temper_status status = check_arguments(x.dense, data, error);
    return status == TEMPER_OK ? borrow(&x, labels, data, error) : status;
}

temper_status temper_data_borrow_f64(const double *x, size_t rows, size_t columns, const int *labels,
                                     temper_data **data, temper_error *error)
{
    struct matrix matrix = {.kind = MATRIX_F64, .rows = rows, .columns = columns, .dense = x};
    return borrow_dense(matrix, labels, data, error);
}

temper_status temper_data_borrow_f32(const float *x, size_t rows, size_t columns, const int *labels, temper_data **data,
                                     temper_error *error)
{
    struct matrix matrix = {.kind = MATRIX_F32, .rows = rows, .columns = columns, .dense = x};
    return borrow_dense(matrix, labels, data, error);
}

temper_status temper_data_borrow_u8(const unsigned char *x, size_t rows, size_t columns, const int *labels,
                                    temper_data **data, temper_error *error)
{
    struct matrix matrix = {.kind = MATRIX_U8, .rows = rows, .columns = columns, .dense = x};
    return borrow_dense(matrix, labels, data, error);
}

temper_status temper_data_from_f64(const double *x, size_t rows, size_t columns, const int *labels, temper_data **data,
                                   temper_error *error)
{
    size_t count;
    struct matrix matrix = {.kind = MATRIX_F64, .rows = rows, .columns = columns};
    temper_status status = check_arguments(x, data, error);
    if (status != TEMPER_OK)
        return status;
    double *copy = mul_size(rows, columns, &count) ? mem_alloc(count, sizeof *copy) : NULL;
    if (!copy)
        return error_no_memory(error);
    memcpy(copy, x, count * sizeof *copy);
    matrix.dense = matrix.owned[0] = copy;
    status = borrow(&matrix, labels, data, error);
    if (status != TEMPER_OK)
        mem_free(copy);
    return status;
}

/* Columns are handled in 32 bits, however wide they are stored. */
static temper_status check_sparse(const temper_csr_any *x, temper_error *error)
{
    const size_t size[] = {x->row_start_size, x->column_size, x->value_size};
    if (!x->row_start || !x->column || !x->value)
        return error_set(error, TEMPER_USAGE,
                         "an array of the sparse rows is missing; give row_start, column and "
                         "value");
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        if (size[i] != 4 && size[i] != 8)
            return error_set(error, TEMPER_USAGE,
                             "an array of the sparse rows has elements of %zu bytes; give "
                             "integers and floating point numbers of 4 or 8",
                             size[i]);
    if ((uint64_t)x->columns > (uint64_t)UINT32_MAX + 1)
        return error_set(error, TEMPER_BAD_DATA,
                         "there are %zu columns, and at most 4294967296 are possible; number the "
                         "features that occur",
                         x->columns);
    return TEMPER_OK;
}

temper_status temper_data_borrow_csr_any(const temper_csr_any *x, const int *labels, temper_data **data,
                                         temper_error *error)
{
    temper_status status = check_arguments(x, data, error);
    if (status == TEMPER_OK)
        status = check_sparse(x, error);
    if (status != TEMPER_OK)
        return status;
    struct matrix matrix = {.kind = MATRIX_CSR, .rows = x->rows, .columns = x->columns};
    if (x->row_start_size == sizeof *matrix.row_start)
        matrix.row_start = x->row_start;
    else
        matrix.row_start32 = x->row_start;
    if (x->column_size == sizeof *matrix.column)
        matrix.column = x->column;
    else
        matrix.column64 = x->column;
    if (x->value_size == sizeof *matrix.value)
        matrix.value = x->value;
    else
        matrix.value64 = x->value;
    return borrow(&matrix, labels, data, error);
}

temper_status temper_data_borrow_csr(const temper_csr *x, const int *labels, temper_data **data, temper_error *error)
{
    temper_status status = check_arguments(x, data, error);
    if (status != TEMPER_OK)
        return status;
    const temper_csr_any sparse = {.rows = x->rows,
                                   .columns = x->columns,
                                   .row_start = x->row_start,
                                   .column = x->column,
                                   .value = x->value,
                                   .row_start_size = sizeof *x->row_start,
                                   .column_size = sizeof *x->column,
                                   .value_size = sizeof *x->value};
    return temper_data_borrow_csr_any(&sparse, labels, data, error);
}

temper_status temper_data_set_class_names(temper_data *data, const char *const *names, temper_error *error)
{
    return dataset_name_classes((struct dataset *)data, names, error);
}

temper_status temper_data_set_feature_names(temper_data *data, const char *const *names, temper_error *error)
{
    return dataset_name_features((struct dataset *)data, names, error);
}

temper_status temper_data_set_weights(temper_data *data, const double *weights, temper_error *error)
{
    return dataset_set_weights((struct dataset *)data, weights, error);
}
