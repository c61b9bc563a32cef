#include "data/columns/feature_sizes.h"

#include <math.h>

#include "base/memory.h"
#include "data/columns/column_stats.h"
#include "data/memory/page_window.h"
#include "data/memory/prefetch_row.h"

/* A tenth of the rows, within these bounds. A row of a dense sample takes as long as several passes over that row. */
enum { SAMPLE_SHARE = 10, MIN_SAMPLE = 512, MAX_SAMPLE = 2048 };

/* How many evenly spaced rows show the sizes of features; files are often sorted by class or date. */
static uint64_t sample_size(uint64_t rows)
{
    uint64_t count = rows / SAMPLE_SHARE;
    count = count < MIN_SAMPLE ? MIN_SAMPLE : count > MAX_SAMPLE ? MAX_SAMPLE : count;
    return count < rows ? count : rows;
}

/* weight[row] for the rows of this process: that of the rows of the sample of all processes, and 0 for the others. */
static void choose_sample(const struct sized_rows *rows, double *weight)
{
    const struct dataset *data = rows->data;
    const uint64_t all = dataset_all_rows(data), count = sample_size(all);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t row = all * i / count - data->ranks.first_row;
        if (row < data->x.rows)
            weight[row] = rows->weight ? rows->weight[row] : 1;
    }
}

/* The standard deviations of dense features in a sample, 0 for constant ones. Rows are chosen by weights, which leave
 * the others unread, and not by a list, which would refer to the rows of one process. */
static temper_status dense_sizes(const struct sized_rows *rows, double *size, temper_error *error)
{
    const struct dataset *data = rows->data;
    struct negative_entry negative;
    struct dataset sample = *data;
    struct column_stats sums = {0};
    sample.weight = mem_zeroed((size_t)data->x.rows, sizeof *sample.weight);
    temper_status status = comm_agree(data->ranks.comm, sample.weight ? TEMPER_OK : error_no_memory(error), error);
    if (status == TEMPER_OK && sample.weight) { /* the latter follows, which an analyser cannot see */
        choose_sample(rows, sample.weight);
        struct sum_task task = {
            .data = &sample, .count = (size_t)data->x.rows, .variances = true, .threads = rows->threads};
        status = column_stats(&task, &sums, &negative, error);
    }
    /* Constant by the values: rounding can leave a constant column a tiny variance. */
    for (size_t j = 0; status == TEMPER_OK && sums.low && j < (size_t)data->x.columns; j++)
        size[j] = sums.low[j] < sums.high[j] ? sqrt(sums.variance[j]) : 0;
    column_stats_free(&sums);
    mem_free(sample.weight);
    return status;
}

/* Callback of comm_in_turn. size[j]: the largest absolute value of a feature in those rows of the sample that this
 * process and the ones before it have. */
static void take_largest(void *context, void *state)
{
    enum { AHEAD = 2 }; /* rows of the sample that are requested before they are needed */
    const struct sized_rows *rows = context;
    const struct dataset *data = rows->data;
    const uint64_t all = dataset_all_rows(data), count = sample_size(all);
    double *size = state;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t at = all * i / count - data->ranks.first_row;
        if (at >= data->x.rows || (rows->weight && !(rows->weight[at] > 0)))
            continue;
        page_window_row(&data->x, at);
        const struct row row = matrix_row(&data->x, at);
        const uint64_t next = all * (i + AHEAD) / count - data->ranks.first_row;
        if (i + AHEAD < count && next < data->x.rows)
            prefetch_row(&data->x, next);
        for (size_t e = 0; e < row.count; e++) {
            const size_t j = row_column(&row, e);
            const double value = fabs(row_value(&row, e));
            if (value > size[j]) /* fmax is a call */
                size[j] = value;
        }
    }
}

temper_status feature_sizes(const struct sized_rows *rows, double *size, temper_error *error)
{
    const struct dataset *data = rows->data;
    if (data->x.kind != MATRIX_CSR)
        return dense_sizes(rows, size, error);
    return comm_in_turn(data->ranks.comm, take_largest, (void *)rows, size, (size_t)data->x.columns * sizeof *size,
                        error);
}
