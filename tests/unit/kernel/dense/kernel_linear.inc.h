/* test_kernel_linear: what the tests of the linear kernels share; included for floats and doubles.
 *
 * The including file defines `real`, EPS and SMALLEST of that type, and the types `rows_type`,
 * `many_type` and `linear_type`. The reference is the sum in long doubles; a sum of n terms may
 * miss it by n roundings of the sum of their sizes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/kernel_under_test.h"
#include "kernel/dense/kernel_linear_arrays.inc.h"

struct sizes {
    size_t rows, columns, classes, shift;
    double spread;
};

#define WHERE "%zu rows, %zu columns, %zu classes", s.rows, s.columns, s.classes

/* ---- Two classes ---------------------------------------------------------------------------- */

static void check_times(const linear_type *linear, struct sizes s)
{
    struct arrays all = {.shift = s.shift};
    rows_type block = {numbers(&all, s.rows * s.columns, s.spread), s.rows, s.columns};
    const real *w = numbers(&all, s.columns, s.spread);
    real *out = array(&all, s.rows);
    size_t wrong = 0;
    linear->times(block, w, out);
    for (size_t i = 0; i < s.rows; i++) {
        struct sum sum = {0};
        for (size_t j = 0; j < s.columns; j++)
            sum_add(&sum, (long double)block.x[i * s.columns + j] * (long double)w[j]);
        wrong += !is_sum((double)out[i], &sum, 0);
    }
    CHECKF(wrong == 0, WHERE);
    release(&all);
}

static void check_back(const linear_type *linear, struct sizes s)
{
    struct arrays all = {.shift = s.shift};
    rows_type block = {numbers(&all, s.rows * s.columns, s.spread), s.rows, s.columns};
    const real *r = numbers(&all, s.rows, s.spread);
    double *gradient = doubles(&all, s.columns);
    const double *before = doubles(&all, s.columns);
    size_t wrong = 0;
    linear->back(block, r, gradient);
    for (size_t j = 0; j < s.columns; j++) {
        struct sum sum = {0};
        for (size_t i = 0; i < s.rows; i++)
            sum_add(&sum, (long double)block.x[i * s.columns + j] * (long double)r[i]);
        wrong += !is_sum(gradient[j], &sum, before[j]);
    }
    CHECKF(wrong == 0, WHERE);
    release(&all);
}

static const size_t some_rows[] = {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 50};
enum { SOME_ROWS = sizeof some_rows / sizeof *some_rows };

TEST(two_classes)
{
    KERNEL_OR_SKIP;
    for (size_t n = 0; n < SOME_ROWS; n++)
        for (size_t columns = 1; columns <= 71; columns += test_step(13)) {
            struct sizes s = {some_rows[n], columns == 71 ? 784 : columns, 2, columns % 5, 0};
            s.spread = columns % 3 == 0 ? 12 : 0;
            check_times(kernel->LINEAR, s);
            check_back(kernel->LINEAR, s);
        }
}

/* Both products in one loop: the scores have the bits of `times`, the sums are those of the rows before. */
static void check_fused(const linear_type *linear, struct sizes s, size_t before)
{
    struct arrays all = {.shift = s.shift};
    const real *x = numbers(&all, (before + s.rows) * s.columns, s.spread);
    const rows_type block = {x + before * s.columns, s.rows, s.columns};
    const real *w = numbers(&all, s.columns, s.spread), *r = numbers(&all, before, s.spread);
    real *out = array(&all, s.rows), *alone = array(&all, s.rows);
    real *sums = filled(&all, linear_fused_sums(s.columns), (real)0.25);
    size_t wrong = 0;
    linear->fused(block, before, w, out, r, sums);
    linear->times(block, w, alone);
    CHECKF(s.rows == 0 || memcmp(out, alone, s.rows * sizeof *out) == 0, WHERE);
    for (size_t j = 0; j < s.columns; j++) {
        struct sum sum = {0};
        sum_add(&sum, 0.25L);
        for (size_t i = 0; i < before; i++)
            sum_add(&sum, (long double)x[i * s.columns + j] * (long double)r[i]);
        wrong += !is_sum((double)sums[j], &sum, 0);
    }
    CHECKF(wrong == 0, WHERE);
    release(&all);
}

TEST(fused_products)
{
    KERNEL_OR_SKIP;
    for (size_t n = 0; n < SOME_ROWS; n++)
        for (size_t b = n % 2; b < SOME_ROWS; b += test_step(2))
            for (size_t columns = 1 + (n + b) % 5; columns <= 71; columns += test_step(13)) {
                struct sizes s = {some_rows[n], columns >= 66 ? 203 : columns, 2, columns % 5, 0};
                s.spread = columns % 3 == 0 ? 12 : 0;
                check_fused(kernel->LINEAR, s, some_rows[b]);
            }
}

/* More columns than are summed at once. */
TEST(many_columns)
{
    KERNEL_OR_SKIP;
    for (size_t columns = 1023; columns < 5000; columns += 1024) {
        check_times(kernel->LINEAR, (struct sizes){19, columns, 2, 1, 0});
        check_back(kernel->LINEAR, (struct sizes){19, columns, 2, 1, 0});
    }
}

/* ---- Many classes --------------------------------------------------------------------------- */

static size_t padded(size_t rows)
{
    return (rows + SOFTMAX_PAD - 1) / SOFTMAX_PAD * SOFTMAX_PAD;
}

static many_type many_of(struct arrays *all, struct sizes s)
{
    return (many_type){
        .block = {numbers(all, s.rows * s.columns, s.spread), s.rows, s.columns},
        .classes = s.classes,
        .stride = padded(s.rows) + (s.shift == 2 ? 5 : 0),
        .scratch = filled(all, linear_scratch(s.rows, s.columns, s.classes), (real)NAN),
    };
}

/* Of so many results of a large block a share is compared where the test runs many times slower: every n-th, n having
 * no common factor with the sizes of blocks and registers. */
static size_t compared_step(struct sizes s)
{
    size_t most = 200000; /* products, which the oracle computes in long double */
    return test_step(1 + 2 * (s.rows * s.columns * s.classes / most / 2));
}

static void check_many_times(const linear_type *linear, struct sizes s)
{
    struct arrays all = {.shift = s.shift};
    many_type many = many_of(&all, s);
    const real *x = many.block.x, *w = numbers(&all, s.columns * s.classes, s.spread);
    real *out = filled(&all, s.classes * many.stride, 7);
    size_t wrong = 0, step = compared_step(s);
    linear->many_times(&many, w, out);
    for (size_t c = 0; c < s.classes; c++)
        for (size_t i = c % step; i < many.stride; i += step) {
            struct sum sum = {0};
            for (size_t j = 0; i < s.rows && j < s.columns; j++)
                sum_add(&sum, (long double)x[i * s.columns + j] * (long double)w[j * s.classes + c]);
            if (i >= padded(s.rows)) /* not ours */
                sum = (struct sum){.exact = 7};
            wrong += !is_sum((double)out[c * many.stride + i], &sum, 0);
        }
    CHECKF(wrong == 0, WHERE);
    release(&all);
}

static void check_many_back(const linear_type *linear, struct sizes s)
{
    struct arrays all = {.shift = s.shift};
    many_type many = many_of(&all, s);
    const real *x = many.block.x;
    real *r = numbers(&all, s.classes * many.stride, s.spread);
    double *gradient = doubles(&all, s.columns * s.classes);
    const double *before = doubles(&all, s.columns * s.classes);
    size_t wrong = 0, step = compared_step(s);
    for (size_t c = 0; c < s.classes; c++) /* the padding means nothing */
        for (size_t i = s.rows; i < many.stride; i++)
            r[c * many.stride + i] = (real)NAN;
    linear->many_back(&many, r, gradient);
    for (size_t j = 0; j < s.columns; j++)
        for (size_t c = j % step; c < s.classes; c += step) {
            struct sum sum = {0};
            for (size_t i = 0; i < s.rows; i++)
                sum_add(&sum, (long double)x[i * s.columns + j] * (long double)r[c * many.stride + i]);
            wrong += !is_sum(gradient[j * s.classes + c], &sum, before[j * s.classes + c]);
        }
    CHECKF(wrong == 0, WHERE);
    release(&all);
}

TEST(many_classes)
{
    KERNEL_OR_SKIP;
    for (size_t classes = 2; classes <= 33; classes += test_step(7))
        for (size_t n = 0; n < SOME_ROWS; n++) {
            size_t k = classes * SOME_ROWS + n;
            struct sizes s = {some_rows[n], 1 + k * 13 % 70, classes, k % 3, k % 4 == 3 ? 12 : 0};
            check_many_times(kernel->LINEAR, s);
            check_many_back(kernel->LINEAR, s);
        }
}

TEST(large_blocks_of_many_classes)
{
    KERNEL_OR_SKIP;
    const struct sizes some[] = {
        {150, 784, 10, 1, 0}, {70, 300, 3, 0, 12}, {33, 129, 1000, 2, 0}, {17, 16, 1000, 1, 0},
        {300, 54, 7, 0, 0},   {5, 1500, 11, 0, 0}, {550, 410, 330, 2, 0}, {37, 2000, 101, 1, 0},
    };
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
        check_many_times(kernel->LINEAR, some[k]);
        check_many_back(kernel->LINEAR, some[k]);
    }
}

/* ---- The Gram matrix ------------------------------------------------------------------------ */

static void check_gram(const linear_type *linear, struct sizes s)
{
    struct arrays all = {.shift = s.shift};
    rows_type block = {numbers(&all, s.rows * s.columns, s.spread), s.rows, s.columns};
    const real *weight = numbers(&all, s.rows, s.spread), *x = block.x;
    real *scratch = array(&all, s.rows * s.columns);
    double *gram = doubles(&all, s.columns * s.columns);
    const double *before = doubles(&all, s.columns * s.columns);
    size_t wrong = 0;
    linear->gram(block, weight, (struct gram_lines){0, s.columns}, scratch, gram);
    for (size_t j = 0; j < s.columns; j++)
        for (size_t k = 0; k < s.columns; k++) {
            struct sum sum = {0};
            for (size_t i = 0; k <= j && i < s.rows; i++)
                sum_add(&sum,
                        (long double)weight[i] * (long double)x[i * s.columns + j] * (long double)x[i * s.columns + k]);
            sum.terms += s.rows; /* two products, two roundings */
            wrong += !is_sum(gram[j * s.columns + k], &sum, before[j * s.columns + k]);
        }
    CHECKF(wrong == 0, WHERE);
    release(&all);
}

TEST(gram)
{
    KERNEL_OR_SKIP;
    for (size_t columns = 1; columns <= 70; columns += test_step(11))
        for (size_t n = columns % 3; n < SOME_ROWS; n += 3)
            check_gram(kernel->LINEAR, (struct sizes){some_rows[n], columns, 1, columns % 4, columns % 5 == 4 ? 6 : 0});
    check_gram(kernel->LINEAR, (struct sizes){21, 200, 1, 1, 0});
}

/* ---- Other types ---------------------------------------------------------------------------- */

/* Every kernel gives the bits of the reference. */
#define CHECK_CONVERSION(function, from)                                                                               \
    linear->function((from) + 1, rows, columns, scale, to);                                                            \
    PLAIN.function((from) + 1, rows, columns, scale, expected);                                                        \
    CHECKF(memcmp(to, expected, n * sizeof *to) == 0, "%zu rows, %zu columns", rows, columns)

static void check_conversions(const linear_type *linear, size_t rows, size_t columns, bool scaled)
{
    const struct random random = {.seed = 12};
    struct arrays all = {.shift = columns % 4};
    size_t n = rows * columns;
    real *to = array(&all, n), *expected = array(&all, n);
    const double *offset = doubles(&all, columns), *factor = doubles(&all, columns);
    struct rows_scale scale = {scaled ? offset : NULL, scaled ? factor : NULL};
    uint8_t *bytes = malloc(n + 1);
    float *floats = malloc((n + 1) * sizeof *floats);
    double *wide = doubles(&all, n) - 1;
    if (!bytes || !floats)
        abort();
    for (size_t i = 1; i <= n; i++) {
        wide[i] = 5 + random_normal(random, i);
        floats[i] = (float)wide[i];
        bytes[i] = (uint8_t)wide[i];
    }
    CHECK_CONVERSION(from_u8, bytes);
    CHECK_CONVERSION(from_f32, floats);
    CHECK_CONVERSION(from_f64, wide);
    free(bytes);
    free(floats);
    release(&all);
}

TEST(conversions)
{
    KERNEL_OR_SKIP;
    for (size_t n = 0; n < SOME_ROWS; n++)
        for (size_t columns = 1; columns <= 71; columns += 7)
            for (int scaled = 0; scaled < 2; scaled++)
                check_conversions(kernel->LINEAR, some_rows[n], columns, scaled);
}

TEST(scaling_is_what_it_says)
{
    KERNEL_OR_SKIP;
    const double offset[] = {1, 100}, factor[] = {2, 0.5};
    const uint8_t bytes[] = {0, 255, 3, 100};
    real to[4];
    kernel->LINEAR->from_u8(bytes, 2, 2, (struct rows_scale){offset, factor}, to);
    CHECK((double)to[0] == -2 && (double)to[1] == 77.5 && (double)to[2] == 4 && to[3] == 0);
    kernel->LINEAR->from_u8(bytes, 2, 2, (struct rows_scale){NULL, NULL}, to);
    CHECK((double)to[0] == 0 && (double)to[1] == 255 && (double)to[2] == 3 && (double)to[3] == 100);
}

/* ---- The same bits ------------------------------------------------------------------------------
 */

/* All results of one block that begins `shift` numbers after an aligned address. */
struct results {
    real times[50], many[11 * 64];
    double back[53], many_back[11 * 53], gram[53 * 53];
};

static void run_all(const linear_type *linear, size_t shift, struct results *to)
{
    struct arrays all = {.shift = shift};
    many_type many = many_of(&all, (struct sizes){50, 53, 11, shift, 0});
    const real *w = numbers(&all, 53 * 11, 0), *r = numbers(&all, 11 * 64, 0);
    real *scratch = array(&all, 50 * 53);
    memset(to, 0, sizeof *to);
    many.stride = 64;
    linear->times(many.block, w, to->times);
    linear->back(many.block, r, to->back);
    linear->many_times(&many, w, to->many);
    linear->many_back(&many, r, to->many_back);
    linear->gram(many.block, r, (struct gram_lines){0, 53}, scratch, to->gram);
    release(&all);
}

/* Nor does who makes which lines of a Gram matrix. */
TEST(lines_of_a_gram_matrix_can_be_shared_out)
{
    KERNEL_OR_SKIP;
    enum { ROWS = 37, COLUMNS = 61 };
    struct arrays all = {.shift = 1};
    rows_type block = {numbers(&all, ROWS * COLUMNS, 0), ROWS, COLUMNS};
    const real *weight = numbers(&all, ROWS, 0);
    real *scratch = array(&all, ROWS * COLUMNS);
    double *whole = doubles(&all, COLUMNS * COLUMNS), *shared = doubles(&all, COLUMNS * COLUMNS);
    memset(whole, 0, COLUMNS * COLUMNS * sizeof *whole);
    kernel->LINEAR->gram(block, weight, (struct gram_lines){0, COLUMNS}, scratch, whole);
    for (size_t cut = 0; cut <= COLUMNS; cut++) {
        memset(shared, 0, COLUMNS * COLUMNS * sizeof *shared);
        kernel->LINEAR->gram(block, weight, (struct gram_lines){cut, COLUMNS}, scratch, shared);
        kernel->LINEAR->gram(block, weight, (struct gram_lines){0, cut}, scratch, shared);
        CHECK(memcmp(shared, whole, COLUMNS * COLUMNS * sizeof *whole) == 0);
    }
    release(&all);
}

/* Nor does what is fetched meanwhile, on short rows and on long ones. */
TEST(fetching_changes_no_bit)
{
    KERNEL_OR_SKIP;
    for (size_t columns = 1; columns < 300; columns += 13) {
        struct arrays all = {.shift = 1};
        rows_type block = {numbers(&all, 37 * columns, 0), 37, columns};
        const real *w = numbers(&all, columns, 0), *r = numbers(&all, 37, 0);
        real *out = array(&all, 37), *cached = array(&all, 37);
        double *back = doubles(&all, columns), *back_cached = doubles(&all, columns);
        kernel->LINEAR->times(block, w, out);
        kernel->LINEAR->times_cached(block, w, cached);
        memset(back, 0, columns * sizeof *back);
        memset(back_cached, 0, columns * sizeof *back);
        kernel->LINEAR->back(block, r, back);
        kernel->LINEAR->back_cached(block, r, back_cached);
        CHECKF(memcmp(out, cached, 37 * sizeof *out) == 0, "%zu columns", columns);
        CHECKF(memcmp(back, back_cached, columns * sizeof *back) == 0, "%zu columns", columns);
        release(&all);
    }
}

TEST(an_address_changes_no_bit)
{
    KERNEL_OR_SKIP;
    static struct results first, other;
    run_all(kernel->LINEAR, 0, &first);
    for (size_t shift = 1; shift < 17; shift++) {
        run_all(kernel->LINEAR, shift, &other);
        CHECKF(memcmp(&first, &other, sizeof first) == 0, "shift %zu", shift);
    }
}

/* What the neighbours are does not matter: a row alone has the activations it has in a block. */
TEST(a_row_alone)
{
    KERNEL_OR_SKIP;
    struct arrays all = {.shift = 1};
    many_type many = many_of(&all, (struct sizes){50, 53, 11, 0, 0}), one = many;
    const real *w = numbers(&all, 53 * 11, 0);
    real *out = array(&all, 11 * 64), *alone = array(&all, 11 * 16), times[50], single;
    kernel->LINEAR->times(many.block, w, times);
    kernel->LINEAR->many_times(&many, w, out);
    one.block.rows = 1;
    one.stride = 16;
    for (size_t i = 0; i < 50; i++, one.block.x += 53) {
        kernel->LINEAR->times(one.block, w, &single);
        CHECKF(single == times[i], "row %zu", i);
        kernel->LINEAR->many_times(&one, w, alone);
        for (size_t c = 0; c < 11; c++)
            CHECKF(alone[c * 16] == out[c * 64 + i], "row %zu, class %zu", i, c);
    }
    release(&all);
}

TEST(a_class_alone)
{
    KERNEL_OR_SKIP;
    for (size_t n = 0; n < 3; n++) {
        const struct sizes s = {50 - n, 53 + 70 * n, 3 + 2 * n, n, 0};
        struct arrays all = {.shift = s.shift};
        many_type many = many_of(&all, s), one = {many.block, 1, many.stride, many.scratch, s.classes};
        const real *w = numbers(&all, s.columns * s.classes, 0);
        real *out = array(&all, (s.classes + 1) * many.stride), *column = array(&all, s.columns);
        kernel->LINEAR->many_times(&many, w, out + many.stride);
        for (size_t c = 0; c < s.classes; c++) {
            for (size_t j = 0; j < s.columns; j++)
                column[j] = w[j * s.classes + c];
            kernel->LINEAR->many_times(&one, column, out);
            CHECKF(!memcmp(out, out + (c + 1) * many.stride, s.rows * sizeof *out), WHERE);
        }
        release(&all);
    }
}

TEST(blocks)
{
    for (size_t columns = 1; columns < (size_t)1 << 40; columns = columns * 3 + 1)
        for (size_t classes = 2; classes < 100000; classes = classes * 7 + 1) {
            size_t rows = linear_block_rows(columns, classes, sizeof(real));
            CHECKF(rows >= 16 && rows % 16 == 0, "%zu columns, %zu classes", columns, classes);
        }
    CHECK(linear_block_rows(SIZE_MAX, SIZE_MAX, sizeof(real)) == 16);
    CHECK(linear_fused_rows(159, 16) == 0 && linear_fused_rows(160, 16) == 48 && linear_fused_rows(1024, 16) == 16);
    CHECK(linear_fused_rows(216, 32) == 32 && linear_fused_rows(1025, 32) == 0);
}

#define LINEAR_TESTS                                                                                                   \
    LISTED(two_classes), LISTED(fused_products), LISTED(many_columns), LISTED(many_classes),                           \
        LISTED(large_blocks_of_many_classes), LISTED(gram), LISTED(conversions), LISTED(scaling_is_what_it_says),      \
        LISTED(an_address_changes_no_bit), LISTED(lines_of_a_gram_matrix_can_be_shared_out),                           \
        LISTED(fetching_changes_no_bit), LISTED(a_row_alone), LISTED(a_class_alone), LISTED(blocks)
