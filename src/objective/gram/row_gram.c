/* row_gram: the products of all pairs of rows, by the kernel that sums outer products: the columns of the data, some at
 * a time, are the rows of its blocks. Each thread has some lines of the matrix, and converts, scales and transposes
 * all columns for itself: that takes as many operations as there are numbers, the products rows / 2 times as many. */
#include "objective/gram/row_gram.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/thread.h"
#include "kernel/dispatch/kernel.h"
#include "kernel/loss/softmax.h"
#include "objective/blocks.h"

enum {
    BLOCK_BYTES = 512 * 1024, /* of a block of columns, which is read repeatedly from the cache */
    MOST_COLUMNS = 512,       /* of a block, */
    LEAST_COLUMNS = 16,
    STRIP_ROWS = 8,              /* rows that are transposed together: the numbers of a column fill a cache line */
    COMBINED_BYTES = 256 * 1024, /* of a block of rows that are combined */
};

/* ---- Products ------------------------------------------------------------------------------------------ */

struct row_gram_job {
    const struct row_gram *rows;
    size_t lines, block; /* groups of lines; columns of a block */
    double *out;
};

/* Some columns of one row as doubles, scaled. */
static void read_columns(const struct row_gram *rows, size_t row, struct gram_lines columns, double *to)
{
    const struct linear_f64 *linear = rows->kernel->linear_f64;
    const struct scale *scale = rows->scale;
    const size_t at = row * (size_t)rows->x->columns + columns.from, count = columns.to - columns.from;
    const struct rows_scale how = {scale && scale->offset ? scale->offset + columns.from : NULL,
                                   scale && scale->factor ? scale->factor + columns.from : NULL};
    if (rows->x->kind == MATRIX_U8)
        linear->from_u8((const uint8_t *)rows->x->dense + at, 1, count, how, to);
    else if (rows->x->kind == MATRIX_F32)
        linear->from_f32((const float *)rows->x->dense + at, 1, count, how, to);
    else
        linear->from_f64((const double *)rows->x->dense + at, 1, count, how, to);
}

/* to[k * rows + i]: column k of the block, row i. */
static void transpose(const struct row_gram *rows, struct gram_lines columns, double *strip, double *to)
{
    const size_t n = (size_t)rows->x->rows, count = columns.to - columns.from;
    for (size_t first = 0; first < n; first += STRIP_ROWS) {
        const size_t some = min_size(STRIP_ROWS, n - first);
        for (size_t i = 0; i < some; i++)
            read_columns(rows, first + i, columns, strip + i * count);
        for (size_t k = 0; k < count; k++)
            for (size_t i = 0; i < some; i++)
                to[k * n + first + i] = strip[i * count + k];
    }
}

/* The first line of a group; groups have about as many products each, since line i has i + 1. */
static size_t first_line(const struct row_gram_job *job, size_t group)
{
    const size_t n = (size_t)job->rows->x->rows;
    return group == job->lines ? n : (size_t)((double)n * sqrt((double)group / (double)job->lines));
}

/* All columns for the lines of one group. */
static temper_status add_lines(void *context, size_t group, size_t worker)
{
    const struct row_gram_job *job = context;
    const size_t n = (size_t)job->rows->x->rows, columns = (size_t)job->rows->x->columns;
    const struct gram_lines lines = {first_line(job, group), first_line(job, group + 1)};
    (void)worker;
    double *space = mem_aligned(job->block, (2 * n + STRIP_ROWS + 1) * sizeof *space);
    if (!space)
        return TEMPER_NO_MEMORY;
    double *block = space, *scratch = block + job->block * n, *strip = scratch + job->block * n;
    double *ones = strip + job->block * STRIP_ROWS;
    for (size_t k = 0; k < job->block; k++)
        ones[k] = 1;
    for (size_t from = 0; from < columns; from += job->block) {
        const struct gram_lines some = {from, min_size(from + job->block, columns)};
        transpose(job->rows, some, strip, block);
        job->rows->kernel->linear_f64->gram((struct rows_f64){block, some.to - some.from, n}, ones, lines, scratch,
                                            job->out);
    }
    mem_free(space);
    return TEMPER_OK;
}

temper_status row_gram(const struct row_gram *rows, double *out, temper_error *error)
{
    const size_t n = (size_t)rows->x->rows;
    const size_t block = max_size(LEAST_COLUMNS, min_size(MOST_COLUMNS, BLOCK_BYTES / (n * sizeof *out)));
    struct row_gram_job job = {rows, min_size(rows->threads, n), block, out};
    memset(out, 0, n * n * sizeof *out);
    temper_status status = parallel_blocks(job.lines, rows->threads, add_lines, &job);
    return status == TEMPER_OK ? status : error_no_memory(error);
}

/* ---- Combinations -------------------------------------------------------------------------------------- */

size_t row_combine_stride(size_t rows)
{
    return (rows + SOFTMAX_PAD - 1) / SOFTMAX_PAD * SOFTMAX_PAD;
}

/* A block of rows, times their coefficients of all combinations. */
static void combine_block(const struct row_gram *rows, struct row_span span, const double *a, size_t vectors,
                          double *space, double *w)
{
    const size_t columns = (size_t)rows->x->columns;
    const struct rows_f64 block = {dense_rows_f64(rows->kernel, rows->x, span, rows->scale, space), span.count,
                                   columns};
    if (vectors == 1) {
        rows->kernel->linear_f64->back(block, a + span.from, w);
        return;
    }
    const struct many_f64 many = {.block = block,
                                  .classes = vectors,
                                  .stride = row_combine_stride((size_t)rows->x->rows),
                                  .scratch = space + span.count * columns};
    rows->kernel->linear_f64->many_back(&many, a + span.from, w);
}

temper_status row_combine(const struct row_gram *rows, const double *a, size_t vectors, double *w, temper_error *error)
{
    const size_t n = (size_t)rows->x->rows, columns = (size_t)rows->x->columns;
    const size_t fits = COMBINED_BYTES / (columns * sizeof *w) / SOFTMAX_PAD * SOFTMAX_PAD;
    const size_t each = min_size(max_size(fits, SOFTMAX_PAD), row_combine_stride(n));
    double *space =
        mem_aligned(each * columns + (vectors > 1 ? linear_scratch(each, columns, vectors) : 0), sizeof *space);
    if (!space)
        return error_no_memory(error);
    memset(w, 0, columns * vectors * sizeof *w);
    for (size_t from = 0; from < n; from += each)
        combine_block(rows, (struct row_span){.from = from, .count = min_size(each, n - from)}, a, vectors, space, w);
    for (size_t j = 0; rows->scale && rows->scale->is_zero && j < columns; j++)
        if (rows->scale->is_zero[j])
            memset(w + j * vectors, 0, vectors * sizeof *w);
    mem_free(space);
    return TEMPER_OK;
}
