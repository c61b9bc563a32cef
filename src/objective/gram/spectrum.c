/* spectrum: with x and z two independent rows, E[x.x] = tr C and E[(x.z)^2] = tr C^2, C = E[x x']. Both means over a
 * sample of rows and all its pairs (U-statistics) need no matrix of columns^2 numbers. */
#include "objective/gram/spectrum.h"

#include <math.h>

#include "base/memory.h"
#include "base/order.h"
#include "data/memory/page_window.h"
#include "kernel/dispatch/kernel.h"
#include "objective/blocks.h"

/* 2,016 pairs: independent normal features have a second moment that is known to 3 %. */
enum { SAMPLE_ROWS = 64 };

struct spectrum_sample {
    const struct dataset *data;
    const struct scale *scale;
    const struct kernel *kernel;
    size_t rows, columns;
    float *x; /* [row * columns + column], scaled */
};

/* Callback of comm_in_turn: copies the rows of the sample that this process holds into the state. */
static void copy_own(void *context, void *state)
{
    const struct spectrum_sample *sample = context;
    const struct dataset *data = sample->data;
    const size_t columns = sample->columns;
    for (size_t i = 0; i < sample->rows; i++) {
        /* By unsigned wrap-around beyond the own rows where a process before this one holds it. */
        uint64_t at = i * dataset_all_rows(data) / sample->rows - data->ranks.first_row;
        if (at >= data->x.rows)
            continue;
        page_window_row(&data->x, at);
        struct row_span span = {.from = (size_t)at, .count = 1};
        float *out = (float *)state + i * columns;
        const float *row = dense_rows_f32(sample->kernel, &data->x, span, sample->scale, out);
        for (size_t j = 0; row != out && j < columns; j++)
            out[j] = row[j];
    }
}

/* Products of each row with itself and with those after it. */
static struct spectrum of_pairs(const struct spectrum_sample *sample)
{
    const size_t m = sample->rows, columns = sample->columns;
    double own = 0, others = 0;
    for (size_t i = 0; i < m; i++) {
        float product[SAMPLE_ROWS];
        const float *row = sample->x + i * columns;
        sample->kernel->linear_f32->times_cached((struct rows_f32){row, m - i, columns}, row, product);
        own += (double)product[0];
        for (size_t k = 1; k < m - i; k++)
            others += (double)product[k] * (double)product[k];
    }
    const double rows = (double)m, pairs = rows * (rows - 1) / 2, n = (double)columns;
    return (struct spectrum){.mean = own / rows / n, .second_moment = m > 1 ? others / pairs / n : INFINITY};
}

/* Dense rows only. */
temper_status spectrum_estimate(const struct dataset *data, const struct scale *scale, struct spectrum *out,
                                temper_error *error)
{
    const char *wanted;
    struct spectrum_sample sample = {.data = data,
                                     .scale = scale,
                                     .kernel =
                                         kernel_choose(&wanted), /* there is one, or there would be no objective */
                                     .rows = min_size(SAMPLE_ROWS, (size_t)dataset_all_rows(data)),
                                     .columns = (size_t)data->x.columns};
    sample.x = mem_zeroed(sample.rows, sample.columns * sizeof *sample.x);
    temper_status status = sample.x ? TEMPER_OK : error_no_memory(error);
    if (!comm_alone(data->ranks.comm))
        status = comm_agree(data->ranks.comm, status, error);
    if (status == TEMPER_OK)
        status = comm_in_turn(data->ranks.comm, copy_own, &sample, sample.x,
                              sample.rows * sample.columns * sizeof *sample.x, error);
    if (status == TEMPER_OK)
        *out = of_pairs(&sample);
    mem_free(sample.x);
    return status;
}
