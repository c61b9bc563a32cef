/* scale: offsets and factors from column statistics, and scaled copies of rows and matrices.
 *
 * Learning has three steps: what the kind alone determines (scale_start), the statistics of the columns over the
 * training rows, and from these offset and factor of each column. Columns that are constant keep the factor 1. The
 * scaled copies are for callers that need the numbers themselves. */
#include "data/columns/scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "data/columns/column_stats.h"
#include "data/memory/page_window.h"
#include "data/quote_text.h"

/* The share of the largest possible distance from the mean, sqrt(rows - 1) standard deviations, from which a value is
 * reported: a value at 0.99 of it is 0.98 of the variance of its column. */
static const double OUTLIER_SHARE = 0.99;

/* The words of --scale, indexed by enum scale_kind. Model files store them too, so they must not change. */
static const char *const names[] = {
#define SCALE_NAME(name, word, text) word,
    SCALE_LIST(SCALE_NAME)
#undef SCALE_NAME
};

/* The kind of a --scale argument; false for an unknown word. */
bool scale_find(const char *name, enum scale_kind *kind)
{
    /* Indices are those of the enumeration. */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], name) == 0) {
            *kind = (enum scale_kind)i;
            return true;
        }
    }
    return false;
}

/* The word as --scale takes it, and as model files store it. */
const char *scale_name(enum scale_kind kind)
{
    return names[kind];
}

/* ---- Messages -------------------------------------------------------------------------------- */

/* "feature 3 'width'", by value so that it can be used within an argument list; the number counts from 1. */
struct feature_text feature_text(const struct dataset *data, uint64_t column)
{
    struct feature_text shown = {""};
    unsigned long long number = (unsigned long long)column + 1;
    if (data->features.count > column) {
        const char *name = data->features.name[column];
        snprintf(shown.text, sizeof shown.text, "feature %llu '%.80s'", number,
                 token_text(name, name + strlen(name)).text);
    } else {
        snprintf(shown.text, sizeof shown.text, "feature %llu", number);
    }
    return shown;
}

/* The message of --scale log, with the line of a text file where known, else with the row over all processes. */
static temper_status refuse_negative(const struct dataset *data, struct negative_entry found, temper_error *error)
{
    char file[PATH_SHOWN];
    /* Only text formats record lines. */
    size_t line = data->line ? (size_t)data->line[found.row] : 0;
    struct feature_text feature = feature_text(data, found.column);
    source_shown(data, file);
    if (line > 0)
        return error_at(error, TEMPER_BAD_DATA, line, 0,
                        "%s:%zu: %s has a negative value, which --scale log cannot take; use "
                        "--scale standard",
                        file, line, feature.text);
    /* MPI: the row among all processes, counted from 1. */
    return error_set(error, TEMPER_BAD_DATA,
                     "%s: %s has a negative value in row %llu, which --scale log cannot take; use "
                     "--scale standard",
                     file, feature.text, (unsigned long long)(data->ranks.first_row + found.row) + 1);
}

/* An offset or factor that is not finite or 0: the range or variance of the column exceeds what a double can hold. */
static temper_status refuse_span(const struct dataset *data, size_t column, temper_error *error)
{
    char file[PATH_SHOWN];
    return error_set(error, TEMPER_BAD_DATA,
                     "%s: %s has values too large, too small or not finite: no double can scale "
                     "them; use --scale none, or other units",
                     source_shown(data, file), feature_text(data, column).text);
}

/* An offset would turn every zero of sparse data into an entry. The remedy, maxabs, has factors only. */
static temper_status refuse_minmax(const struct dataset *data, temper_error *error)
{
    char file[PATH_SHOWN];
    return error_set(error, TEMPER_USAGE, "%s: --scale minmax would fill the zeros of sparse data; use --scale maxabs",
                     source_shown(data, file));
}

/* ---- Offsets and factors --------------------------------------------------------------------- */

/* Offset and factor of one column. Constant columns get factor 1, so that scaling makes them 0 (dense) or leaves them
 * as they are (sparse) and never divides by 0. */
static void set_column(struct scale *scale, const struct column_stats *sums, size_t j, bool sparse)
{
    /* `size` is what values are divided by. */
    double low = sums->low[j], high = sums->high[j], size = 0;
    switch (scale->kind) {
    case SCALE_STANDARD:
    case SCALE_LOG:
        /* Sparse data is not centred, for that would fill its zeros. */
        scale->offset[j] = sparse ? 0 : sums->mean[j];
        size = sqrt(sums->variance[j]);
        break;
    case SCALE_MINMAX:
        scale->offset[j] = low;
        size = high - low;
        break;
    case SCALE_MAXABS:
        size = fmax(fabs(low), fabs(high));
        break;
    case SCALE_NONE:
    case SCALE_PIXELS:
        break; /* nothing to learn */
    }
    /* By the values, since rounding can leave a constant column a tiny variance. */
    bool constant = scale->kind == SCALE_MAXABS ? size == 0 : !(low < high);
    /* The rounding of the mean would leave a column of tiny values, which a solver could give any weight. */
    if (constant && low == high && scale->offset[j] != 0 && isfinite(scale->offset[j]))
        scale->offset[j] = low;
    scale->is_zero[j] = constant && low == high && scale->offset[j] == low;
    scale->factor[j] = constant ? 1 : 1 / size;
    scale->constants += constant;
}

/* Finite, and large enough to divide by it later. */
static bool usable(double offset, double factor)
{
    return isfinite(offset) && isfinite(factor) && factor > 0;
}

/* Flags columns that are dominated by one value. No value is farther from the mean than sqrt(rows - 1) standard
 * deviations (Samuelson's inequality), and only a single outlier comes near that bound. A 0/1 indicator with a single
 * 1 does too, but is common and harmless (one-hot columns), so it is not reported. */
static void note_outlier(const struct dataset *data, const struct column_stats *sums, size_t j, struct scale *scale)
{
    double rows = (double)dataset_all_rows(data), low = sums->low[j], high = sums->high[j];
    double far = fmax(high - sums->mean[j], sums->mean[j] - low);
    bool indicator = low == 0 && high == 1;
    /* Columns of sparse data are not centred, so the bound does not apply; of two rows, both always reach it. */
    if (indicator || scale->outliers == SCALE_OUTLIERS || rows < 3 || data->x.kind == MATRIX_CSR)
        return;
    if (far * scale->factor[j] > OUTLIER_SHARE * sqrt(rows - 1) && low < high)
        scale->outlier[scale->outliers++] = j;
}

/* Sets all columns; an error names the first one that cannot be scaled. For the standard scale it then flags outliers
 * and sums the variances after scaling, from which training derives the default penalty. */
static temper_status set_columns(const struct dataset *data, const struct column_stats *sums, struct scale *scale,
                                 temper_error *error)
{
    /* The first column that cannot be scaled ends the loop. */
    for (size_t j = 0; j < scale->columns; j++) {
        set_column(scale, sums, j, data->x.kind == MATRIX_CSR);
        if (!usable(scale->offset[j], scale->factor[j]))
            return refuse_span(data, j, error);
    }
    if (scale->kind != SCALE_STANDARD)
        return TEMPER_OK;
    for (size_t j = 0; j < scale->columns; j++)
        note_outlier(data, sums, j, scale);
    /* About 1 for each column that is not constant. */
    for (size_t j = 0; j < scale->columns; j++)
        scale->spread += sums->variance[j] * scale->factor[j] * scale->factor[j];
    return TEMPER_OK;
}

/* Column statistics of the given rows, and from them offsets and factors. */
static temper_status learn(const struct dataset *data, struct scale_rows rows, size_t threads, struct scale *scale,
                           temper_error *error)
{
    struct column_stats sums;
    struct negative_entry negative = {.found = false};
    /* Logarithms and variances cost time: they are computed only for the kinds that use them. */
    struct sum_task task = {.data = data,
                            .row = rows.row,
                            .count = rows.row ? rows.count : (size_t)data->x.rows,
                            .logs = scale->kind == SCALE_LOG,
                            .variances = scale->kind == SCALE_LOG || scale->kind == SCALE_STANDARD,
                            .threads = threads};
    temper_status status = column_stats(&task, &sums, &negative, error);
    if (status == TEMPER_BAD_DATA) /* MPI: the message of the first process that has such an entry */
        return comm_agree(data->ranks.comm, negative.found ? refuse_negative(data, negative, error) : TEMPER_OK, error);
    if (status != TEMPER_OK)
        return status;
    status = set_columns(data, &sums, scale, error);
    column_stats_free(&sums);
    return status;
}

/* Allocates the arrays with the values that need no data: offset 0 and factor 1, or 1/255 for pixels. */
static bool scale_start(struct scale *scale, enum scale_kind kind, size_t columns)
{
    const double factor = kind == SCALE_PIXELS ? 1.0 / 255 : 1;
    *scale = (struct scale){.kind = kind, .columns = columns};
    scale->offset = mem_zeroed(columns, sizeof *scale->offset);
    scale->factor = mem_alloc(columns, sizeof *scale->factor);
    scale->is_zero = mem_zeroed(columns, sizeof *scale->is_zero);
    /* Factor 0 would lose a column, so the array does not start zeroed. */
    for (size_t j = 0; scale->factor && j < columns; j++)
        scale->factor[j] = factor;
    return scale->offset && scale->factor && scale->is_zero;
}

/* The only place where *out is written, so that it stays untouched on failure. */
static temper_status publish(struct scale *scale, temper_status status, struct scale *out)
{
    if (status == TEMPER_OK)
        *out = *scale;
    else
        scale_free(scale);
    return status;
}

/* Whether offsets and factors depend on the data; the other kinds need no pass over the rows. */
static bool learns(enum scale_kind kind)
{
    return kind != SCALE_NONE && kind != SCALE_PIXELS;
}

/* Refuses what the storage cannot have, then starts with the factors that the kind alone determines. */
static temper_status scale_begin(const struct dataset *data, enum scale_kind kind, struct scale *scale,
                                 temper_error *error)
{
    *scale = (struct scale){.kind = kind};
    if (kind == SCALE_MINMAX && data->x.kind == MATRIX_CSR)
        return refuse_minmax(data, error);
    return scale_start(scale, kind, (size_t)data->x.columns) ? TEMPER_OK : error_no_memory(error);
}

/* Learns from the rows of the dataset or a list of them, for example the training rows of a split. */
temper_status scale_learn(const struct dataset *data, enum scale_kind kind, struct scale_rows rows, size_t threads,
                          struct scale *out, temper_error *error)
{
    struct scale scale;
    /* The kinds that learn nothing end after this. */
    temper_status status = scale_begin(data, kind, &scale, error);
    if (status == TEMPER_OK && learns(kind))
        status = learn(data, rows, threads, &scale, error);
    return publish(&scale, status, out);
}

/* The same from statistics that were summed elsewhere, as those of remote shards. `data` then serves for its shape and
 * for messages. */
temper_status scale_from_sums(const struct dataset *data, enum scale_kind kind, const struct column_stats *sums,
                              struct scale *out, temper_error *error)
{
    struct scale scale;
    temper_status status = scale_begin(data, kind, &scale, error);
    if (status == TEMPER_OK && learns(kind))
        status = set_columns(data, sums, &scale, error);
    return publish(&scale, status, out);
}

/* Leaves an empty scale, which may be freed again. */
void scale_free(struct scale *scale)
{
    mem_free(scale->offset);
    mem_free(scale->factor);
    mem_free(scale->is_zero);
    *scale = (struct scale){0};
}

enum { ROWS_A_BLOCK = 512 }; /* of a task for the worker threads */

/* Scales one row of doubles in place: the logarithm first, then the linear part. Predictions use it as well, so that a
 * row gives the same bits there and in scale_matrix. */
void scale_row(const struct scale *scale, double *x)
{
    if (scale->kind == SCALE_LOG)
        for (size_t j = 0; j < scale->columns; j++)
            x[j] = log1p(x[j]);
    for (size_t j = 0; j < scale->columns; j++)
        x[j] = (x[j] - scale->offset[j]) * scale->factor[j];
}

/* A matrix being scaled; `to` has the kind and shape of the result. */
struct scaling {
    const struct scale *scale;
    const struct matrix *from;
    struct matrix *to;
    double *scratch; /* a row for each worker */
};

/* Computes in doubles and rounds once at the end, whatever the element type. */
static void scale_dense_row(const struct scaling *scaling, size_t row, double *scratch)
{
    size_t columns = scaling->scale->columns;
    matrix_row_f64(scaling->from, row, scratch);
    scale_row(scaling->scale, scratch);
    /* The element type is tested once a row, outside of the loops. */
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

/* Offsets of sparse data are 0, so only stored entries change and the pattern of the matrix stays. Rows write disjoint
 * ranges, found by the starts of the original. */
static void scale_sparse_row(const struct scaling *scaling, size_t row)
{
    const struct scale *scale = scaling->scale;
    /* Result and source have the same row starts, so rows can be written in any order. */
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
        /* Columns are copied as well, since those of the source may have 64 bits. */
        column[start + i] = j;
        if (from.value)
            value[start + i] = (float)x;
        else
            value64[start + i] = x;
    }
    row_start[row + 1] = start + from.count;
}

/* Callback of parallel_blocks. Rows are independent, so the result does not depend on the number of threads. */
static temper_status scale_block(void *context, size_t block, size_t worker)
{
    const struct scaling *scaling = context;
    /* The last block is shorter. */
    size_t rows = (size_t)scaling->from->rows, from = block * ROWS_A_BLOCK;
    size_t to = rows - from < ROWS_A_BLOCK ? rows : from + ROWS_A_BLOCK;
    for (size_t row = from; row < to; row++) {
        /* Under a memory limit, the pages of the source are announced before they are read. */
        page_window_rows(scaling->from, row, 1);
        if (scaling->to->kind == MATRIX_CSR)
            scale_sparse_row(scaling, row);
        else
            scale_dense_row(scaling, row, scaling->scratch + worker * scaling->scale->columns);
    }
    return TEMPER_OK;
}

/* Allocates a matrix of the same shape; uint8 becomes float, and starts and columns get 64 and 32 bits even where
 * those of `from` are borrowed arrays of other widths. After a failure matrix_free frees it. */
static bool allocate_like(const struct matrix *from, struct matrix *to)
{
    size_t entries = (size_t)from->nonzeros, rows = (size_t)from->rows;
    bool f64 = from->kind == MATRIX_F64;
    *to = *from;
    /* The copy owns its arrays and is not part of a mapped file. */
    to->owned[0] = to->owned[1] = to->owned[2] = NULL;
    /* Every kind becomes floats but doubles, which must not lose digits. */
    to->pages = NULL;
    if (from->kind != MATRIX_CSR) {
        to->kind = f64 ? MATRIX_F64 : MATRIX_F32;
        to->dense = to->owned[0] = mem_aligned(entries, f64 ? sizeof(double) : sizeof(float));
        return to->dense != NULL;
    }
    /* Zeroed, since row_start[0] is 0; rows + 1 cannot overflow, since `from` has as many. */
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

/* Scales all rows with one row buffer for each thread. */
static temper_status scale_all(struct scaling *scaling, size_t threads)
{
    size_t blocks = ((size_t)scaling->from->rows + ROWS_A_BLOCK - 1) / ROWS_A_BLOCK, size;
    threads = threads_worth(threads, (double)scaling->from->nonzeros);
    /* More threads than blocks would have nothing to do, but a buffer each. */
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

/* The scaled copy of a matrix, owned by the caller. */
temper_status scale_matrix(const struct scale *scale, const struct matrix *x, size_t threads, struct matrix *out,
                           temper_error *error)
{
    /* Built in a local matrix, so that *out stays untouched on failure. */
    struct matrix to;
    struct scaling scaling = {.scale = scale, .from = x, .to = &to};
    if (!allocate_like(x, &to) || scale_all(&scaling, threads) != TEMPER_OK) {
        matrix_free(&to);
        return error_no_memory(error);
    }
    *out = to;
    return TEMPER_OK;
}
