/* row_scatter: sums of sparse rows by column. Scalar code: every entry is a load, an addition and a store at a random
 * address. Both directions are compiled here, for the same instructions, so that their sums have the same bits. */
#include "objective/sparse/row_scatter.h"

static inline void add_rows(const struct sparse_rows *rows, const double *r, double *sum, bool wide, bool f64)
{
    for (size_t i = 0; i < rows->rows; i++) {
        const uint64_t end = sparse_start(rows, i + 1);
        const double factor = r[i];
        for (uint64_t e = sparse_start(rows, i); e < end; e++)
            sum[sparse_column(rows, e, wide)] += sparse_value(rows, e, f64) * factor;
    }
}

void row_scatter_entries(const struct sparse_rows *rows, const double *r, double *sum)
{
#define BODY(wide, f64) add_rows(rows, r, sum, wide, f64)
    BY_WIDTH(*rows, BODY);
#undef BODY
}

static inline void add_squares(const struct sparse_rows *rows, double *sum, bool wide, bool f64)
{
    const uint64_t end = sparse_start(rows, rows->rows);
    for (uint64_t e = sparse_start(rows, 0); e < end; e++) {
        const double value = (double)(float)sparse_value(rows, e, f64);
        sum[sparse_column(rows, e, wide)] += value * value;
    }
}

void row_scatter_squares(const struct sparse_rows *rows, double *sum)
{
#define BODY(wide, f64) add_squares(rows, sum, wide, f64)
    BY_WIDTH(*rows, BODY);
#undef BODY
}

void row_scatter_total(const double *sums, size_t columns, double *out)
{
    for (size_t j = 0; j < columns; j++) {
        double sum = sums[j];
        for (size_t range = 1; range < SCATTER_RANGES; range++)
            sum += sums[range * columns + j];
        out[j] = sum;
    }
}

/* Rows ascend within a column, so the entries of a range are contiguous. */
static inline double sum_column(const struct sparse_rows *columns, size_t j, const uint64_t *behind, const double *r,
                                bool f64)
{
    double total = 0;
    uint64_t e = sparse_start(columns, j);
    const uint64_t end = sparse_start(columns, j + 1);
    for (size_t range = 0; range < SCATTER_RANGES; range++) {
        double sum = 0;
        for (; e < end && columns->column[e] < behind[range]; e++)
            sum += sparse_value(columns, e, f64) * r[columns->column[e]];
        total = range ? total + sum : sum;
    }
    return total;
}

void row_scatter_by_columns(const struct sparse_rows *columns, const struct row_partition *partition, const double *r,
                            double *out)
{
    uint64_t behind[SCATTER_RANGES]; /* the first row behind each range */
    for (size_t range = 0; range < SCATTER_RANGES; range++)
        behind[range] = partition ? (uint64_t)row_scatter_first_part(partition->count, range + 1) * partition->rows_each
                                  : UINT64_MAX;
    for (size_t j = 0; j < columns->rows; j++)
        out[j] = sum_column(columns, j, behind, r, columns->value64 != NULL);
}
