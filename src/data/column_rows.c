/* column_rows: least, greatest and sums of each column, some rows at a time. */
#include "data/column_rows.h"

#include <math.h>
#include <string.h>

#include "data/memory/page_window.h"

/* log(1 + x) of the row; false, with the place, for the first negative entry. */
static bool take_logs(struct part *part, size_t row, size_t columns)
{
    for (size_t j = 0; j < columns; j++) {
        if (part->x[j] < 0) {
            part->negative = (struct negative_entry){.found = true, .row = row, .column = j};
            return false;
        }
        if (part->x[j] > 0) /* most pixels and counts are 0, whose logarithm is 0 already */
            part->x[j] = log1p(part->x[j]);
    }
    return true;
}

/* Rows of one kind, to the kernel that is for it. */
static void spread_rows(const struct column_range_kernels *kernel, const struct column_range *spread,
                        enum matrix_kind kind, const void *rows)
{
    const bool first = spread->mean == NULL;
    if (kind == MATRIX_F32)
        (first ? kernel->first_f32 : kernel->second_f32)(spread, rows);
    else if (kind == MATRIX_F64)
        (first ? kernel->first_f64 : kernel->second_f64)(spread, rows);
    else
        (first ? kernel->first_u8 : kernel->second_u8)(spread, rows);
}

static struct column_range spread_of(const struct summing *summing, const struct part *part, const struct row_run *run)
{
    return (struct column_range){.count = run->count,
                                 .columns = summing->columns,
                                 .behind = run->behind,
                                 .weight = run->weight,
                                 .mean = summing->mean,
                                 .low = part->low,
                                 .high = part->high,
                                 .sum = part->sum,
                                 .square = part->square};
}

static void add_dense(const struct summing *summing, const struct part *part, const struct row_run *run)
{
    const struct column_range spread = spread_of(summing, part, run);
    struct row row = matrix_row(&summing->task->data->x, run->from);
    spread_rows(summing->kernel, &spread, row.kind, row.dense);
}

static bool add_logs(const struct summing *summing, struct part *part, const struct row_run *run)
{
    struct column_range spread = spread_of(summing, part, run);
    spread.count = 1;
    spread.behind = 0;
    for (size_t i = 0; i < run->count; i++) {
        matrix_row_f64(&summing->task->data->x, run->from + i, part->x);
        if (!take_logs(part, run->from + i, summing->columns))
            return false;
        spread.weight = run->weight + i;
        spread_rows(summing->kernel, &spread, MATRIX_F64, part->x);
    }
    return true;
}

static void add_entry(const struct summing *summing, struct part *part, size_t j, double x, double weight)
{
    part->stored[j] += weight;
    part->count[j]++;
    if (summing->mean) {
        double d = x - summing->mean[j];
        part->sum[j] += weight * d;
        part->square[j] += weight * d * d;
        return;
    }
    part->low[j] = x < part->low[j] ? x : part->low[j];
    part->high[j] = x > part->high[j] ? x : part->high[j];
    part->sum[j] += weight * x;
}

static bool add_sparse(const struct summing *summing, struct part *part, size_t row, double weight)
{
    struct row entries = matrix_row(&summing->task->data->x, row);
    for (size_t i = 0; i < entries.count; i++) {
        double x = row_value(&entries, i);
        if (summing->task->logs) {
            if (x < 0) {
                part->negative = (struct negative_entry){.found = true, .row = row, .column = row_column(&entries, i)};
                return false;
            }
            x = log1p(x);
        }
        add_entry(summing, part, row_column(&entries, i), x, weight);
    }
    return true;
}

bool column_add_rows(const struct summing *summing, struct part *part, const struct row_run *run)
{
    if (!summing->sparse && summing->task->logs)
        return add_logs(summing, part, run);
    if (!summing->sparse)
        add_dense(summing, part, run);
    for (size_t i = 0; summing->sparse && i < run->count; i++)
        if (!add_sparse(summing, part, run->from + i, run->weight[i]))
            return false;
    return true;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

enum { BYTES_AT_ONCE = 1 << 16 }; /* rows, of whose squares 32 bits hold the sum */

static void add_byte_row(const uint8_t *restrict x, size_t columns, uint32_t *restrict sum, uint32_t *restrict square)
{
    for (size_t j = 0; j < columns; j++) {
        uint16_t value = x[j];
        sum[j] += value;
        square[j] += (uint16_t)(value * value);
    }
}

static void widen_ends(const uint8_t *restrict x, size_t columns, uint8_t *restrict low, uint8_t *restrict high)
{
    for (size_t j = 0; j < columns; j++)
        low[j] = x[j] < low[j] ? x[j] : low[j];
    for (size_t j = 0; j < columns; j++)
        high[j] = x[j] > high[j] ? x[j] : high[j];
}

static void add_few_bytes(const struct summing *summing, struct part *part, size_t row, size_t count)
{
    const struct matrix *x = &summing->task->data->x;
    size_t columns = summing->columns;
    uint32_t *sum = part->few, *square = sum + columns;
    uint8_t *low = part->ends, *high = low + columns;
    memset(sum, 0, 2 * columns * sizeof *sum);
    memset(low, UINT8_MAX, columns);
    memset(high, 0, columns);
    for (size_t i = row; i < row + count; i++) {
        page_window_rows(x, i, 1);
        const uint8_t *bytes = (const uint8_t *)x->dense + i * columns;
        add_byte_row(bytes, columns, sum, square);
        widen_ends(bytes, columns, low, high);
    }
    for (size_t j = 0; j < columns; j++) {
        part->low[j] = fmin(part->low[j], low[j]);
        part->high[j] = fmax(part->high[j], high[j]);
        part->sum[j] += sum[j];
        if (part->square)
            part->square[j] += square[j];
    }
}

void column_add_bytes(const struct summing *summing, struct part *part, size_t row, size_t count)
{
    *part->weight += (double)count;
    *part->rows += (double)count;
    for (size_t done = 0, few; done < count; done += few) {
        few = count - done < BYTES_AT_ONCE ? count - done : BYTES_AT_ONCE;
        add_few_bytes(summing, part, row + done, few);
    }
}
