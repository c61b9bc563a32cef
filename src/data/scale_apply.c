/* scale_apply: scaled rows and matrices. */
#include <math.h>

#include "base/memory.h"
#include "base/thread.h"
#include "data/memory/page_window.h"
#include "data/scale.h"

enum { ROWS_A_BLOCK = 512 };

void scale_row(const struct scale *scale, double *x)
{
    if (scale->kind == SCALE_LOG)
        for (size_t j = 0; j < scale->columns; j++)
            x[j] = log1p(x[j]);
    for (size_t j = 0; j < scale->columns; j++)
        x[j] = (x[j] - scale->offset[j]) * scale->factor[j];
}

/* A matrix being scaled; `to` is of the kind and shape of the result. */
struct scaling {
    const struct scale *scale;
    const struct matrix *from;
    struct matrix *to;
    double *scratch; /* a row for each worker */
};

static void scale_dense_row(const struct scaling *scaling, size_t row, double *scratch)
{
    size_t columns = scaling->scale->columns;
    matrix_row_f64(scaling->from, row, scratch);
    scale_row(scaling->scale, scratch);
    if (scaling->to->kind == MATRIX_F64) {
        double *out = (double *)scaling->to->owned[0] + row * columns;
        for (size_t j = 0; j < columns; j++)
            out[j] = scratch[j];
    } else {
        float *out = (float *)scaling->to->owned[0] + row * columns;
        for (size_t j = 0; j < columns; j++)
            out[j] = (float)scratch[j];
    }
}

static void scale_sparse_row(const struct scaling *scaling, size_t row)
{
    const struct scale *scale = scaling->scale;
    struct row from = matrix_row(scaling->from, row);
    uint64_t start = matrix_start(scaling->from, row);
    uint64_t *row_start = scaling->to->owned[0];
    uint32_t *column = scaling->to->owned[1];
    float *value = scaling->to->owned[2];
    double *value64 = scaling->to->owned[2];
    for (size_t i = 0; i < from.count; i++) {
        uint32_t j = row_column(&from, i);
        double x = row_value(&from, i);
        x = (scale->kind == SCALE_LOG ? log1p(x) : x) * scale->factor[j];
        column[start + i] = j;
        if (from.value)
            value[start + i] = (float)x;
        else
            value64[start + i] = x;
    }
    row_start[row + 1] = start + from.count;
}

static temper_status scale_block(void *context, size_t block, size_t worker)
{
    const struct scaling *scaling = context;
    size_t rows = (size_t)scaling->from->rows, from = block * ROWS_A_BLOCK;
    size_t to = rows - from < ROWS_A_BLOCK ? rows : from + ROWS_A_BLOCK;
    for (size_t row = from; row < to; row++) {
        page_window_rows(scaling->from, row, 1);
        if (scaling->to->kind == MATRIX_CSR)
            scale_sparse_row(scaling, row);
        else
            scale_dense_row(scaling, row, scaling->scratch + worker * scaling->scale->columns);
    }
    return TEMPER_OK;
}

/* Arrays like those of `from`, bytes becoming floats; starts and columns in the widths of ours. */
static bool allocate(const struct matrix *from, struct matrix *to)
{
    size_t entries = (size_t)from->nonzeros, rows = (size_t)from->rows;
    bool f64 = from->kind == MATRIX_F64;
    *to = *from;
    to->owned[0] = to->owned[1] = to->owned[2] = NULL;
    to->pages = NULL;
    if (from->kind != MATRIX_CSR) {
        to->kind = f64 ? MATRIX_F64 : MATRIX_F32;
        to->dense = to->owned[0] = mem_aligned(entries, f64 ? sizeof(double) : sizeof(float));
        return to->dense != NULL;
    }
    /* Zeroed, for row_start begins with 0 and rows + 1 cannot overflow: `from` has as many. */
    to->row_start = to->owned[0] = mem_zeroed(rows + 1, sizeof *to->row_start);
    to->row_start32 = NULL;
    to->column = to->owned[1] = mem_aligned(entries, sizeof *to->column);
    to->column64 = NULL;
    if (from->value)
        to->value = to->owned[2] = mem_aligned(entries, sizeof *to->value);
    else
        to->value64 = to->owned[2] = mem_aligned(entries, sizeof *to->value64);
    return to->row_start && to->column && to->owned[2];
}

static temper_status scale_all(struct scaling *scaling, size_t threads)
{
    size_t blocks = ((size_t)scaling->from->rows + ROWS_A_BLOCK - 1) / ROWS_A_BLOCK, size;
    threads = threads < 1 ? 1 : threads > blocks ? blocks : threads;
    if (!mul_size(threads, scaling->scale->columns, &size))
        return TEMPER_NO_MEMORY;
    scaling->scratch = mem_alloc(size, sizeof *scaling->scratch);
    if (!scaling->scratch)
        return TEMPER_NO_MEMORY;
    temper_status status = parallel_blocks(blocks, threads, scale_block, scaling);
    mem_free(scaling->scratch);
    return status;
}

temper_status scale_matrix(const struct scale *scale, const struct matrix *x, size_t threads, struct matrix *out,
                           temper_error *error)
{
    struct matrix to;
    struct scaling scaling = {.scale = scale, .from = x, .to = &to};
    if (!allocate(x, &to) || scale_all(&scaling, threads) != TEMPER_OK) {
        matrix_free(&to);
        return error_no_memory(error);
    }
    *out = to;
    return TEMPER_OK;
}
