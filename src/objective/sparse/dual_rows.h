/* dual_rows: all rows of a sparse objective, as a coordinate ascent visits them: those of all processes in each of
 * them, and what is done with a single row. */
#ifndef OBJECTIVE_DUAL_ROWS_H
#define OBJECTIVE_DUAL_ROWS_H

#include "data/dist/gather_labels.h"
#include "objective/objective.h"

/* All rows, of all processes. */
struct dual_rows {
    struct matrix x; /* of a single process borrowed, else the arrays below */
    struct gathered_labels labels;
    uint64_t *start;
    uint32_t *column;
    double *value;
};

/* MPI: all rows in every process, which computes the same. The labels are there already. On failure too, the caller
 * frees the arrays. */
temper_status dual_rows_gather(const struct objective *o, struct dual_rows *rows, temper_error *error);

/* Also the labels. */
void dual_rows_free(struct dual_rows *rows);

/* ---- A single row ---------------------------------------------------------------------------- */

/* w . x in four interleaved sums. A loop for the arrays of the library itself, and one for others, of the same bits; so
 * in the functions below. */
static inline double row_dot(const struct row *row, const double *w)
{
    const uint32_t *column = row->column;
    const float *value = row->value;
    const size_t count = row->count;
    double sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0; /* an array would not be kept in registers */
    size_t e = 0;
    if (column && value)
        for (; e + 4 <= count; e += 4) {
            sum0 += w[column[e]] * (double)value[e];
            sum1 += w[column[e + 1]] * (double)value[e + 1];
            sum2 += w[column[e + 2]] * (double)value[e + 2];
            sum3 += w[column[e + 3]] * (double)value[e + 3];
        }
    for (; e + 4 <= count; e += 4) {
        sum0 += w[row_column(row, e)] * row_value(row, e);
        sum1 += w[row_column(row, e + 1)] * row_value(row, e + 1);
        sum2 += w[row_column(row, e + 2)] * row_value(row, e + 2);
        sum3 += w[row_column(row, e + 3)] * row_value(row, e + 3);
    }
    for (; e < count; e++)
        sum0 += w[row_column(row, e)] * row_value(row, e);
    return (sum0 + sum1) + (sum2 + sum3);
}

/* w += factor x; entries one after the other, as a column may occur twice */
static inline void row_add(const struct row *row, double factor, double *w)
{
    const uint32_t *column = row->column;
    const float *value = row->value;
    const size_t count = row->count;
    size_t e = 0;
    if (column && value)
        for (; e + 4 <= count; e += 4) {
            w[column[e]] += factor * (double)value[e];
            w[column[e + 1]] += factor * (double)value[e + 1];
            w[column[e + 2]] += factor * (double)value[e + 2];
            w[column[e + 3]] += factor * (double)value[e + 3];
        }
    for (; e < count; e++)
        w[row_column(row, e)] += factor * row_value(row, e);
}

static inline double squared_norm(const struct row *row)
{
    const float *value = row->value;
    const size_t count = row->count;
    double sum0 = 0, sum1 = 0;
    size_t e = 0;
    if (value)
        for (; e + 2 <= count; e += 2) {
            sum0 += (double)value[e] * (double)value[e];
            sum1 += (double)value[e + 1] * (double)value[e + 1];
        }
    for (; e + 2 <= count; e += 2) {
        sum0 += row_value(row, e) * row_value(row, e);
        sum1 += row_value(row, e + 1) * row_value(row, e + 1);
    }
    return sum0 + sum1 + (e < count ? row_value(row, e) * row_value(row, e) : 0);
}

/* The same products for weights that are every other number: pair[2 j] is w[j]. */
static inline double row_dot_pairs(const struct row *row, const double *pair)
{
    const uint32_t *column = row->column;
    const float *value = row->value;
    const size_t count = row->count;
    double sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
    size_t e = 0;
    if (column && value)
        for (; e + 4 <= count; e += 4) {
            sum0 += pair[2 * (size_t)column[e]] * (double)value[e];
            sum1 += pair[2 * (size_t)column[e + 1]] * (double)value[e + 1];
            sum2 += pair[2 * (size_t)column[e + 2]] * (double)value[e + 2];
            sum3 += pair[2 * (size_t)column[e + 3]] * (double)value[e + 3];
        }
    for (; e + 4 <= count; e += 4) {
        sum0 += pair[2 * (size_t)row_column(row, e)] * row_value(row, e);
        sum1 += pair[2 * (size_t)row_column(row, e + 1)] * row_value(row, e + 1);
        sum2 += pair[2 * (size_t)row_column(row, e + 2)] * row_value(row, e + 2);
        sum3 += pair[2 * (size_t)row_column(row, e + 3)] * row_value(row, e + 3);
    }
    for (; e < count; e++)
        sum0 += pair[2 * (size_t)row_column(row, e)] * row_value(row, e);
    return (sum0 + sum1) + (sum2 + sum3);
}

/* pair[2 j] += first x and pair[2 j + 1] += second x. */
static inline void row_add_pairs(const struct row *row, double first, double second, double *pair)
{
    const uint32_t *column = row->column;
    const float *value = row->value;
    const size_t count = row->count;
    size_t e = 0;
    if (column && value)
        for (; e < count; e++) {
            double *at = pair + 2 * (size_t)column[e];
            const double x = (double)value[e], next = at[1] + second * x;
            at[0] += first * x;
            at[1] = next;
        }
    for (; e < count; e++) {
        double *at = pair + 2 * (size_t)row_column(row, e);
        at[0] += first * row_value(row, e);
        at[1] += second * row_value(row, e);
    }
}

#endif
