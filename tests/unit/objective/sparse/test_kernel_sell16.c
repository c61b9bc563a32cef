/* test_kernel_sell16: products with SELL-16 copies of a matrix and of its transpose have the bits of products with CSR
 * rows; and sums of squares. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "fixtures/kernel_under_test.h"
#include "objective/sparse/sell16.h"

/* Rows of 0 to LONGEST entries, which is more than are summed in floats together. */
enum { LONGEST = 600, MOST_ROWS = SELL16_WINDOW + 150 };

struct made {
    struct sparse_rows rows;
    size_t columns;
    uint64_t start[MOST_ROWS + 1];
    uint32_t *column;
    float *value;
};

static double draw(uint64_t n)
{
    return random_normal((struct random){.seed = 31}, n);
}

/* Row i has some of the lengths from 0 on, and columns at equal distances up to the last. */
static void make(size_t rows, size_t columns, struct made *made)
{
    const struct random random = {.seed = rows + columns};
    made->columns = columns;
    made->column = memory(rows * LONGEST, sizeof *made->column);
    made->value = memory(rows * LONGEST, sizeof *made->value);
    made->start[0] = 0;
    for (size_t i = 0; i < rows; i++) {
        double share = random_uniform(random, i);
        size_t count = i % 5 == 0 ? 0 : (size_t)(share * share * share * LONGEST);
        uint64_t at = made->start[i];
        count = i == 7 ? LONGEST : count;
        count = count < columns ? count : columns;
        for (size_t k = 0; k < count; k++) {
            made->column[at + k] = (uint32_t)(columns - 1 - (count - 1 - k) * (columns / count));
            made->value[at + k] = (float)draw(at + k);
        }
        made->start[i + 1] = at + count;
    }
    made->rows = (struct sparse_rows){.start = made->start, .column = made->column, .value = made->value, .rows = rows};
}

static void release(struct made *made)
{
    free(made->column);
    free(made->value);
}

static float *floats(size_t n)
{
    float *x = memory(n, sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)draw(7777 + i);
    return x;
}

static double *empty(size_t n)
{
    double *x = memory(n, sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = NAN;
    return x;
}

static bool same(const double *a, const double *b, size_t n)
{
    return memcmp(a, b, n * sizeof *a) == 0;
}

static const struct {
    size_t rows, columns;
} shapes[] = {{0, 5}, {1, 1}, {15, 40}, {16, 700}, {17, 65536}, {150, 65537}, {150, 900}, {MOST_ROWS, 300}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Whether two copies, made by different numbers of threads, have the same entries. */
static bool same_copies(const struct sell16 *a, const struct sell16 *b)
{
    const size_t slices = a->all.slices, entries = (size_t)a->start[slices] * SELL16_ROWS;
    return slices == b->all.slices && a->start[slices] == b->start[slices] &&
           memcmp(a->value, b->value, entries * sizeof *a->value) == 0 &&
           (a->column16 ? memcmp(a->column16, b->column16, entries * sizeof *a->column16)
                        : memcmp(a->column, b->column, entries * sizeof *a->column)) == 0;
}

/* The copy of some rows, or of their transpose, by any number of threads. */
static void check_threads(const struct made *made, bool transposed)
{
    struct sell16 one = {0};
    CHECK((transposed ? sell16_transpose : sell16_make)(&made->rows, made->columns, (struct thread_team){.threads = 1},
                                                        &one));
    for (size_t threads = 2; threads < 20; threads += 5) {
        struct sell16 some = {0};
        CHECK((transposed ? sell16_transpose : sell16_make)(&made->rows, made->columns,
                                                            (struct thread_team){.threads = threads}, &some));
        CHECK(same_copies(&one, &some));
        sell16_free(&some);
    }
    sell16_free(&one);
}

/* The bits of both, by one thread and by several, and close to the sums in long doubles. */
static void check_rows(const struct sparse_kernels *sparse, const struct made *made)
{
    const size_t rows = made->rows.rows;
    struct sell16 sell = {0};
    float *w = floats(made->columns);
    double *one = empty(rows), *two = empty(rows), *plain = empty(rows), *square = empty(rows);
    check_threads(made, false);
    CHECK(sell16_make(&made->rows, made->columns, (struct thread_team){.threads = 2}, &sell));
    CHECK(sell16_times(&sell, sparse, (struct thread_team){.threads = 1}, w, one) == TEMPER_OK);
    CHECK(sell16_times(&sell, sparse, (struct thread_team){.threads = 2}, w, two) == TEMPER_OK);
    sparse->in_order(made->rows, w, plain);
    sell16_squares(&sell, square);
    CHECK(same(one, plain, rows) && same(two, plain, rows));
    for (size_t i = 0; i < rows; i++) {
        long double sum = 0, size = 0, squares = 0;
        for (uint64_t e = made->start[i]; e < made->start[i + 1]; e++) {
            long double term = (long double)made->value[e] * w[made->column[e]];
            sum += term;
            size += fabsl(term);
            squares += (long double)made->value[e] * made->value[e];
        }
        CHECK(fabsl(one[i] - sum) <= SELL_TOGETHER * FLT_EPSILON / 2 * size);
        CHECK(fabsl(square[i] - squares) <= LONGEST * DBL_EPSILON * squares);
    }
    sell16_free(&sell);
    free(w);
    double *all[] = {one, two, plain, square};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

TEST(sell16_of_rows)
{
    KERNEL_OR_SKIP;
    if (!kernel->sparse->sell16)
        SKIP("this kernel has no SELL-16 product");
    for (size_t k = 0; k < SHAPES; k++) {
        struct made made;
        make(shapes[k].rows, shapes[k].columns, &made);
        check_rows(kernel->sparse, &made);
        release(&made);
    }
}

/* The transposed matrix, by hand. */
static void transpose(const struct made *made, struct sparse_rows *transposed)
{
    const uint64_t entries = made->start[made->rows.rows];
    uint64_t *start = memory(made->columns + 2, sizeof *start);
    uint32_t *row = memory(entries, sizeof *row);
    float *value = memory(entries, sizeof *value);
    memset(start, 0, (made->columns + 2) * sizeof *start);
    for (uint64_t e = 0; e < entries; e++)
        start[made->column[e] + 2]++;
    for (size_t j = 2; j < made->columns + 2; j++)
        start[j] += start[j - 1];
    for (size_t i = 0; i < made->rows.rows; i++)
        for (uint64_t e = made->start[i]; e < made->start[i + 1]; e++) {
            const uint64_t at = start[made->column[e] + 1]++;
            row[at] = (uint32_t)i;
            value[at] = made->value[e];
        }
    *transposed = (struct sparse_rows){.start = start, .column = row, .value = value, .rows = made->columns};
}

TEST(sell16_of_columns)
{
    KERNEL_OR_SKIP;
    if (!kernel->sparse->sell16)
        SKIP("this kernel has no SELL-16 product");
    for (size_t k = 0; k < SHAPES; k++) {
        struct made made;
        struct sparse_rows transposed;
        struct sell16 sell = {0};
        make(shapes[k].rows, shapes[k].columns, &made);
        transpose(&made, &transposed);
        float *r = floats(shapes[k].rows + 1);
        double *out = empty(made.columns), *plain = empty(made.columns);
        check_threads(&made, true);
        CHECK(sell16_transpose(&made.rows, made.columns, (struct thread_team){.threads = 2}, &sell));
        CHECK(sell16_times(&sell, kernel->sparse, (struct thread_team){.threads = 2}, r, out) == TEMPER_OK);
        kernel->sparse->in_order(transposed, r, plain);
        CHECK(same(out, plain, made.columns));
        sell16_free(&sell);
        void *all[] = {(void *)transposed.start, (void *)transposed.column, (void *)transposed.value, r, out, plain};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            free(all[i]);
        release(&made);
    }
}

TEST_LIST(LISTED(sell16_of_rows), LISTED(sell16_of_columns))
