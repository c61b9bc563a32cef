/* api: data from the caller's arrays. */
#include "data/arrays.h"

#include <string.h>

#include "base/memory.h"
#include "data/attach.h"

static temper_status check_arguments(const void *x, temper_data *const *data, temper_error *error)
{
    if (x && data)
        return TEMPER_OK;
    return error_set(error, TEMPER_USAGE, "no numbers, or nowhere to put the data; give both");
}

static temper_status borrow(const struct matrix *x, const int *labels, temper_data **data,
                            temper_error *error)
{
    struct dataset *made;
    temper_status status = dataset_from_matrix(x, labels, &made, error);
    if (status == TEMPER_OK)
        *data = (temper_data *)made;
    return status;
}

static temper_status borrow_dense(struct matrix x, const int *labels, temper_data **data,
                                  temper_error *error)
{
    temper_status status = check_arguments(x.dense, data, error);
    return status == TEMPER_OK ? borrow(&x, labels, data, error) : status;
}

temper_status temper_data_borrow_f64(const double *x, size_t rows, size_t columns,
                                     const int *labels, temper_data **data, temper_error *error)
{
    struct matrix matrix = {.kind = MATRIX_F64, .rows = rows, .columns = columns, .dense = x};
    return borrow_dense(matrix, labels, data, error);
}

temper_status temper_data_borrow_f32(const float *x, size_t rows, size_t columns, const int *labels,
                                     temper_data **data, temper_error *error)
{
    struct matrix matrix = {.kind = MATRIX_F32, .rows = rows, .columns = columns, .dense = x};
    return borrow_dense(matrix, labels, data, error);
}

temper_status temper_data_borrow_u8(const unsigned char *x, size_t rows, size_t columns,
                                    const int *labels, temper_data **data, temper_error *error)
{
    struct matrix matrix = {.kind = MATRIX_U8, .rows = rows, .columns = columns, .dense = x};
    return borrow_dense(matrix, labels, data, error);
}

temper_status temper_data_from_f64(const double *x, size_t rows, size_t columns, const int *labels,
                                   temper_data **data, temper_error *error)
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

temper_status temper_data_borrow_csr(const temper_csr *x, const int *labels, temper_data **data,
                                     temper_error *error)
{
    temper_status status = check_arguments(x, data, error);
    if (status != TEMPER_OK)
        return status;
    if (!x->row_start || !x->column || !x->value)
        return error_set(error, TEMPER_USAGE,
                         "an array of the sparse rows is missing; give row_start, column and "
                         "value");
    struct matrix matrix = {.kind = MATRIX_CSR,
                            .rows = x->rows,
                            .columns = x->columns,
                            .row_start = x->row_start,
                            .column = x->column,
                            .value = x->value};
    return borrow(&matrix, labels, data, error);
}

temper_status temper_data_name_classes(temper_data *data, const char *const *names,
                                       temper_error *error)
{
    return dataset_name_classes((struct dataset *)data, names, error);
}

temper_status temper_data_name_features(temper_data *data, const char *const *names,
                                        temper_error *error)
{
    return dataset_name_features((struct dataset *)data, names, error);
}

temper_status temper_data_weigh(temper_data *data, const double *weights, temper_error *error)
{
    return dataset_weigh((struct dataset *)data, weights, error);
}
