/* row_scatter: gradients of wide sparse data without a copy of the matrix: residuals times rows are added to an array
 * of all columns, as soon as the rows are in the cache.
 *
 * A copy by columns costs as much as 15 to 50 passes, which few-pass trainings do not make. The rows are divided into
 * ranges of whole parts, each with an array of its own, so that several threads work and the result does not depend on
 * their number: the sum of a column is that of its ranges in order, each in the order of its rows. The same sums can be
 * computed from columns, which several processes do. */
#ifndef OBJECTIVE_ROW_SCATTER_H
#define OBJECTIVE_ROW_SCATTER_H

#include "data/dist/row_partition.h"
#include "kernel/sparse/sparse_products.h"

enum { SCATTER_RANGES = 4 };

/* The first part of a range, out of `parts`; that of SCATTER_RANGES is the end. */
static inline size_t row_scatter_first_part(size_t parts, size_t range)
{
    return (range * parts + SCATTER_RANGES - 1) / SCATTER_RANGES;
}

/* The range of a part. */
static inline size_t row_scatter_range(size_t parts, size_t part)
{
    return part * SCATTER_RANGES / parts;
}

/* sum[column] += value * r[row] of some rows. */
void row_scatter_entries(const struct sparse_rows *rows, const double *r, double *sum);
/* sum[column] += value^2, the value rounded to a float, as copies have it. */
void row_scatter_squares(const struct sparse_rows *rows, double *sum);
/* out[j] = the sum of the arrays of all ranges, of `columns` numbers each, in order. */
void row_scatter_total(const double *sums, size_t columns, double *out);
/* The same from columns in the form of rows, which have row numbers for columns: out[j]. Without a
 * partition, of one range that has all rows. */
void row_scatter_by_columns(const struct sparse_rows *columns, const struct row_partition *partition, const double *r,
                            double *out);

#endif
