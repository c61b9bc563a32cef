/* column_rows: least, greatest and sums of each column, a row at a time. */
#include "data/column_rows.h"

#include <math.h>

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

static void add_dense_first(struct part *part, size_t columns, double weight)
{
    for (size_t j = 0; j < columns; j++) {
        double x = part->x[j];
        part->low[j] = x < part->low[j] ? x : part->low[j];
        part->high[j] = x > part->high[j] ? x : part->high[j];
        part->sum[j] += weight * x;
    }
}

static void add_dense_second(struct part *part, size_t columns, double weight, const double *mean)
{
    for (size_t j = 0; j < columns; j++) {
        double d = part->x[j] - mean[j];
        part->sum[j] += weight * d;
        part->square[j] += weight * d * d;
    }
}

static bool add_dense(const struct summing *summing, struct part *part, size_t row, double weight)
{
    matrix_row_f64(&summing->task->data->x, row, part->x);
    if (summing->task->logs && !take_logs(part, row, summing->columns))
        return false;
    if (summing->mean)
        add_dense_second(part, summing->columns, weight, summing->mean);
    else
        add_dense_first(part, summing->columns, weight);
    return true;
}

static void add_entry(const struct summing *summing, struct part *part, size_t j, double x,
                      double weight)
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
                part->negative = (struct negative_entry){
                    .found = true, .row = row, .column = row_column(&entries, i)};
                return false;
            }
            x = log1p(x);
        }
        add_entry(summing, part, row_column(&entries, i), x, weight);
    }
    return true;
}

bool column_add_row(const struct summing *summing, struct part *part, size_t row, double weight)
{
    return summing->sparse ? add_sparse(summing, part, row, weight)
                           : add_dense(summing, part, row, weight);
}
