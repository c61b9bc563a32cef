/* test_row_scatter: sums of sparse rows by column, in ranges: close to sums in long doubles, and the same bits from the
 * columns. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "fixtures/test.h"
#include "objective/sparse/row_scatter.h"

enum { ROWS = 70, COLUMNS = 23, PART_ROWS = 6, PARTS = 12, MOST = ROWS * COLUMNS };

/* The same entries by rows and by columns. */
struct both {
    uint64_t row_start[ROWS + 1], column_start[COLUMNS + 1];
    uint32_t column[MOST], row[MOST];
    float value[MOST], transposed[MOST];
    double residual[ROWS];
};

static bool has(size_t i, size_t j)
{
    return random_uniform((struct random){.seed = 5}, i * COLUMNS + j) < 0.3;
}

static float value_at(size_t i, size_t j)
{
    return (float)random_normal((struct random){.seed = 6}, i * COLUMNS + j);
}

static void make(struct both *made)
{
    uint64_t count = 0;
    for (size_t i = 0; i < ROWS; i++) {
        made->row_start[i] = count;
        made->residual[i] = random_normal((struct random){.seed = 7}, i);
        for (uint32_t j = 0; j < COLUMNS; j++)
            if (has(i, j)) {
                made->column[count] = j;
                made->value[count++] = value_at(i, j);
            }
    }
    made->row_start[ROWS] = count;
    count = 0;
    for (size_t j = 0; j < COLUMNS; j++) {
        made->column_start[j] = count;
        for (uint32_t i = 0; i < ROWS; i++)
            if (has(i, j)) {
                made->row[count] = i;
                made->transposed[count++] = value_at(i, j);
            }
    }
    made->column_start[COLUMNS] = count;
}

/* Part by part, as a pass does. */
static void sum_rows(const struct both *made, double *out)
{
    double sums[SCATTER_RANGES * COLUMNS] = {0};
    for (size_t part = 0; part < PARTS; part++) {
        const size_t from = part * PART_ROWS, left = ROWS - from;
        const struct sparse_rows rows = {.start = made->row_start + from,
                                         .column = made->column,
                                         .value = made->value,
                                         .rows = left < PART_ROWS ? left : PART_ROWS};
        row_scatter_entries(&rows, made->residual + from, sums + row_scatter_range(PARTS, part) * COLUMNS);
    }
    row_scatter_total(sums, COLUMNS, out);
}

TEST(rows_and_columns_give_the_same_bits)
{
    static struct both made;
    double of_rows[COLUMNS], of_columns[COLUMNS];
    const struct row_partition partition = {.rows_each = PART_ROWS, .count = PARTS};
    make(&made);
    const struct sparse_rows columns = {
        .start = made.column_start, .column = made.row, .value = made.transposed, .rows = COLUMNS};
    sum_rows(&made, of_rows);
    row_scatter_by_columns(&columns, &partition, made.residual, of_columns);
    CHECK(memcmp(of_rows, of_columns, sizeof of_rows) == 0);
    for (size_t j = 0; j < COLUMNS; j++) {
        long double sum = 0, size = 0;
        for (size_t i = 0; i < ROWS; i++)
            if (has(i, j)) {
                const long double term = (long double)value_at(i, j) * (long double)made.residual[i];
                sum += term;
                size += fabsl(term);
            }
        CHECK(fabsl((long double)of_rows[j] - sum) <= ROWS * (long double)DBL_EPSILON * size);
    }
}

TEST(so_do_they_in_one_range)
{
    static struct both made;
    double of_rows[COLUMNS] = {0}, of_columns[COLUMNS];
    make(&made);
    const struct sparse_rows rows = {.start = made.row_start, .column = made.column, .value = made.value, .rows = ROWS},
                             columns = {.start = made.column_start,
                                        .column = made.row,
                                        .value = made.transposed,
                                        .rows = COLUMNS};
    row_scatter_entries(&rows, made.residual, of_rows);
    row_scatter_by_columns(&columns, NULL, made.residual, of_columns);
    CHECK(memcmp(of_rows, of_columns, sizeof of_rows) == 0);
}

TEST(every_part_is_in_the_range_that_begins_before_it)
{
    for (size_t parts = 1; parts < 40; parts++)
        for (size_t part = 0; part < parts; part++) {
            const size_t range = row_scatter_range(parts, part);
            CHECK(range < SCATTER_RANGES && row_scatter_first_part(parts, range) <= part &&
                  part < row_scatter_first_part(parts, range + 1));
        }
}

TEST(squares_are_those_of_the_entries)
{
    static struct both made;
    double squares[COLUMNS] = {0};
    make(&made);
    const struct sparse_rows rows = {.start = made.row_start, .column = made.column, .value = made.value, .rows = ROWS};
    row_scatter_squares(&rows, squares);
    for (size_t j = 0; j < COLUMNS; j++) {
        double sum = 0;
        for (size_t i = 0; i < ROWS; i++)
            sum += has(i, j) ? (double)value_at(i, j) * (double)value_at(i, j) : 0;
        CHECK_CLOSE(squares[j], sum, 1e-12 * (1 + sum));
    }
}

TEST_LIST(LISTED(rows_and_columns_give_the_same_bits), LISTED(so_do_they_in_one_range),
          LISTED(every_part_is_in_the_range_that_begins_before_it), LISTED(squares_are_those_of_the_entries))
