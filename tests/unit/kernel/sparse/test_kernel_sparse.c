/* test_kernel_sparse: products with sparse rows, every kernel against sums in long doubles. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/random.h"
#include "fixtures/kernel_under_test.h"

enum { COLUMNS = 37, MOST_WIDTH = 70, MOST_ROWS = 40, MOST_ENTRIES = MOST_ROWS * COLUMNS };

/* A made matrix. Arrays end where their memory ends, so that a sanitizer sees who reads on; entries
 * do not begin at 0, as those of a block within a matrix. */
struct made {
    struct sparse_rows rows;
    uint64_t *start;
    uint32_t *column;
    float *value;
};

static double draw(uint64_t n)
{
    return random_normal((struct random){.seed = 23}, n);
}

/* Rows of every density from none to all columns; `rows` of them, the first and the last empty. */
static struct made make(size_t rows, uint64_t seed)
{
    const struct random random = {.seed = seed};
    static uint32_t column[MOST_ENTRIES + 3];
    struct made made = {.start = memory(rows + 1, sizeof *made.start)};
    uint64_t count = 3;
    for (size_t i = 0; i < rows; i++) {
        double density = i == 0 || i + 1 == rows ? 0 : random_uniform(random, i) * 1.1;
        made.start[i] = count;
        for (uint32_t j = 0; j < COLUMNS; j++)
            if (random_uniform(random, 1000 + i * COLUMNS + j) < density)
                column[count++] = j;
    }
    made.start[rows] = count;
    made.column = memory(count, sizeof *made.column);
    made.value = memory(count, sizeof *made.value);
    for (uint64_t e = 0; e < count; e++) {
        made.column[e] = e < 3 ? UINT32_MAX : column[e]; /* those before belong to nobody */
        made.value[e] = (float)draw(e + seed);
    }
    made.rows = (struct sparse_rows){.start = made.start, .column = made.column, .value = made.value, .rows = rows};
    return made;
}

static void release(struct made *made)
{
    free(made->start);
    free(made->column);
    free(made->value);
}

/* `n` numbers, off the alignment of a vector by `shift`. */
static double *doubles(size_t n, size_t shift, uint64_t from)
{
    double *x = memory(n + shift, sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i + shift] = draw(from + i);
    return x;
}

/* Checks out[i * width + c], i of the rows, against value * w summed in long doubles. */
static void check_sums(const struct made *made, size_t width, const double *w, const double *out, double rounding)
{
    for (size_t i = 0; i < made->rows.rows; i++)
        for (size_t c = 0; c < width; c++) {
            long double sum = 0, size = 0;
            for (uint64_t e = made->start[i]; e < made->start[i + 1]; e++) {
                long double term = (long double)made->value[e] * w[made->column[e] * width + c];
                sum += term;
                size += fabsl(term);
            }
            CHECK(fabsl(out[i * width + c] - sum) <= COLUMNS * rounding * size);
        }
}

static void check_times(const struct made *made, size_t width, const double *w, const double *out)
{
    check_sums(made, width, w, out, DBL_EPSILON);
}

/* The same for out[j * width + c] = before + sums over the rows. */
static void check_back(const struct made *made, size_t width, const double *r, const double *before, const double *out)
{
    static long double sum[COLUMNS * MOST_WIDTH], size[COLUMNS * MOST_WIDTH];
    for (size_t k = 0; k < COLUMNS * width; k++)
        size[k] = fabsl(sum[k] = before[k]);
    for (size_t i = 0; i < made->rows.rows; i++)
        for (uint64_t e = made->start[i]; e < made->start[i + 1]; e++)
            for (size_t c = 0; c < width; c++) {
                long double term = (long double)made->value[e] * r[i * width + c];
                sum[made->column[e] * width + c] += term;
                size[made->column[e] * width + c] += fabsl(term);
            }
    for (size_t k = 0; k < COLUMNS * width; k++)
        CHECK(fabsl(out[k] - sum[k]) <= (MOST_ROWS + 1) * DBL_EPSILON * size[k]);
}

static const size_t row_counts[] = {0, 1, 2, 3, 7, 16, MOST_ROWS};
enum { ROW_COUNTS = sizeof row_counts / sizeof *row_counts };

TEST(one_weight_a_column)
{
    KERNEL_OR_SKIP;
    for (size_t k = 0; k < ROW_COUNTS * 2; k++) {
        size_t rows = row_counts[k / 2], shift = k % 2;
        struct made made = make(rows, 5 + k);
        double *w = doubles(COLUMNS, shift, 0), *r = doubles(rows, shift, 100);
        double *out = doubles(rows, shift, 0), *before = doubles(COLUMNS, 0, 900);
        double *gradient = doubles(COLUMNS, shift, 900);
        kernel->sparse->times(made.rows, w + shift, out + shift);
        check_times(&made, 1, w + shift, out + shift);
        kernel->sparse->back(made.rows, r + shift, gradient + shift);
        check_back(&made, 1, r + shift, before, gradient + shift);
        double *all[] = {w, r, out, before, gradient};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            free(all[i]);
        release(&made);
    }
}

static void many_case(const struct sparse_kernels *sparse, size_t rows, size_t width, size_t shift)
{
    struct made made = make(rows, 77 + rows + width);
    double *w = doubles(COLUMNS * width, shift, 0), *r = doubles(rows * width, shift, 100);
    double *out = doubles(rows * width, shift, 0), *before = doubles(COLUMNS * width, 0, 900);
    double *gradient = doubles(COLUMNS * width, shift, 900);
    float *floats = memory(COLUMNS * width + shift, sizeof *floats);
    sparse->many_times(made.rows, width, w + shift, out + shift);
    check_times(&made, width, w + shift, out + shift);
    for (size_t i = 0; i < COLUMNS * width; i++)
        w[i + shift] = (double)(floats[i + shift] = (float)w[i + shift]);
    sparse->many_times_f32(made.rows, width, floats + shift, out + shift);
    check_sums(&made, width, w + shift, out + shift, FLT_EPSILON);
    sparse->many_back(made.rows, width, r + shift, gradient + shift);
    check_back(&made, width, r + shift, before, gradient + shift);
    double *all[] = {w, r, out, before, gradient};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(floats);
    release(&made);
}

/* Every width up to beyond what stays in registers. */
TEST(many_classes)
{
    KERNEL_OR_SKIP;
    for (size_t width = 1; width <= MOST_WIDTH; width++)
        for (size_t shift = 0; shift < 2; shift++)
            many_case(kernel->sparse, row_counts[width % ROW_COUNTS], width, shift);
}

/* Sums in floats would lose all that is added to a million, and end at 2^24. */
TEST(long_rows_lose_no_more_than_short_ones)
{
    KERNEL_OR_SKIP;
    enum { LONG = 3000 };
    const uint64_t start[] = {0, LONG};
    uint32_t column[LONG];
    float value[LONG];
    for (size_t i = 0; i < LONG; i++) {
        column[i] = i == 0;
        value[i] = i == 0 ? 1.0F : 0.25F;
    }
    const float w[] = {1, 3, 1 << 24, 1};
    double out[2];
    struct sparse_rows rows = {.start = start, .column = column, .value = value, .rows = 1};
    kernel->sparse->many_times_f32(rows, 2, w, out);
    double first = (1 << 24) + 0.25 * (LONG - 1), second = 1 + 0.75 * (LONG - 1);
    CHECK(fabs(out[0] - first) <= 0.1 * 0.25 * LONG);
    CHECK(fabs(out[1] - second) <= 1e-4 * second);
}

/* The sum of a row does not depend on its position, so that blocks may begin at any row. */
TEST(rows_do_not_matter_to_each_other)
{
    KERNEL_OR_SKIP;
    enum { WIDTH = 20 };
    struct made made = make(MOST_ROWS, 3);
    double *w = doubles(COLUMNS * WIDTH, 0, 0), *out = doubles(MOST_ROWS * WIDTH, 0, 0);
    double alone[WIDTH], one[MOST_ROWS], single;
    kernel->sparse->many_times(made.rows, WIDTH, w, out);
    kernel->sparse->times(made.rows, w, one);
    for (size_t i = 0; i < MOST_ROWS; i++) {
        struct sparse_rows row = made.rows;
        row.start += i;
        row.rows = 1;
        kernel->sparse->many_times(row, WIDTH, w, alone);
        kernel->sparse->times(row, w, &single);
        CHECK(single == one[i]);
        for (size_t c = 0; c < WIDTH; c++)
            CHECK(alone[c] == out[i * WIDTH + c]);
    }
    free(w);
    free(out);
    release(&made);
}

/* The same rows with all arrays in their other width too. */
static struct sparse_rows widened(const struct made *made)
{
    size_t rows = made->rows.rows, count = (size_t)made->start[rows];
    struct sparse_rows wide = made->rows;
    uint32_t *start = memory(rows + 1, sizeof *start);
    uint64_t *column = memory(count, sizeof *column);
    double *value = memory(count, sizeof *value);
    for (size_t i = 0; i <= rows; i++)
        start[i] = (uint32_t)made->start[i];
    for (size_t e = 0; e < count; e++) {
        column[e] = made->column[e];
        value[e] = (double)made->value[e];
    }
    wide.start32 = start;
    wide.column64 = column;
    wide.value64 = value;
    return wide;
}

/* One array of each pair: the bits of `which` tell which are in their other width. */
static struct sparse_rows one_of_each(const struct sparse_rows *all, unsigned which)
{
    struct sparse_rows rows = {.rows = all->rows};
    if (which & 1)
        rows.start32 = all->start32;
    else
        rows.start = all->start;
    if (which & 2)
        rows.column64 = all->column64;
    else
        rows.column = all->column;
    if (which & 4)
        rows.value64 = all->value64;
    else
        rows.value = all->value;
    return rows;
}

static void same_bits(const double *a, const double *b, size_t n)
{
    CHECK(n == 0 || memcmp(a, b, n * sizeof *a) == 0);
}

static void width_case(const struct sparse_kernels *sparse, size_t width, unsigned which)
{
    enum { ROWS = 23 };
    struct made made = make(ROWS, 300 + width);
    const struct sparse_rows all = widened(&made), rows = one_of_each(&all, which);
    double *w = doubles(COLUMNS * width, 0, 0), *r = doubles(ROWS * width, 0, 50);
    double *out[2] = {doubles(ROWS * width, 0, 0), doubles(ROWS * width, 0, 0)};
    double *gradient[2] = {doubles(COLUMNS * width, 0, 9), doubles(COLUMNS * width, 0, 9)};
    float *floats = memory(COLUMNS * width, sizeof *floats);
    for (size_t i = 0; i < COLUMNS * width; i++)
        floats[i] = (float)w[i];
    for (size_t i = 0; i < 2; i++)
        sparse->times(i ? rows : made.rows, w, out[i]);
    same_bits(out[0], out[1], ROWS);
    for (size_t i = 0; i < 2; i++)
        sparse->back(i ? rows : made.rows, r, gradient[i]);
    same_bits(gradient[0], gradient[1], COLUMNS);
    for (size_t i = 0; i < 2; i++)
        sparse->many_times(i ? rows : made.rows, width, w, out[i]);
    same_bits(out[0], out[1], ROWS * width);
    for (size_t i = 0; i < 2; i++)
        sparse->many_times_f32(i ? rows : made.rows, width, floats, out[i]);
    same_bits(out[0], out[1], ROWS * width);
    for (size_t i = 0; i < 2; i++)
        sparse->many_back(i ? rows : made.rows, width, r, gradient[i]);
    same_bits(gradient[0], gradient[1], COLUMNS * width);
    void *blocks[] = {w,
                      r,
                      out[0],
                      out[1],
                      gradient[0],
                      gradient[1],
                      floats,
                      (void *)all.start32,
                      (void *)all.column64,
                      (void *)all.value64};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        free(blocks[i]);
    release(&made);
}

/* Weights that end where the memory of the process ends: a page that cannot be read follows. All columns are used. */
static void guarded_case(const struct sparse_kernels *sparse, size_t width)
{
    enum { ROWS = 3 };
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = COLUMNS * width * sizeof(float);
    const size_t pages = (bytes + page - 1) / page;
    char *block = mmap(NULL, (pages + 1) * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!CHECK(block != MAP_FAILED) || !CHECK(mprotect(block + pages * page, page, PROT_NONE) == 0))
        return;
    float *w = (float *)(void *)(block + pages * page - bytes);
    double *out = doubles(ROWS * width, 0, 0);
    uint64_t start[ROWS + 1];
    uint32_t column[ROWS * COLUMNS];
    float value[ROWS * COLUMNS];
    for (size_t i = 0; i <= ROWS; i++)
        start[i] = i * COLUMNS;
    for (uint32_t e = 0; e < ROWS * COLUMNS; e++) {
        column[e] = e % COLUMNS;
        value[e] = 1;
    }
    for (size_t i = 0; i < COLUMNS * width; i++)
        w[i] = (float)(i % width);
    const struct sparse_rows rows = {.start = start, .column = column, .value = value, .rows = ROWS};
    sparse->many_times_f32(rows, width, w, out);
    for (size_t i = 0; i < ROWS * width; i++)
        CHECK(out[i] == (double)(COLUMNS * (i % width)));
    free(out);
    munmap(block, (pages + 1) * page);
}

TEST(weights_are_not_read_beyond_their_end)
{
    KERNEL_OR_SKIP;
    for (size_t width = 1; width <= 130; width++)
        guarded_case(kernel->sparse, width);
}

/* Arrays in other widths, of the same numbers: not a bit is different. */
TEST(widths_do_not_matter)
{
    KERNEL_OR_SKIP;
    for (unsigned which = 1; which < 8; which++)
        for (size_t width = 1; width <= 40; width += 3)
            width_case(kernel->sparse, width, which);
}

/* Values that no float holds are not rounded to float in between. */
TEST(doubles_stay_doubles)
{
    KERNEL_OR_SKIP;
    const uint64_t start[] = {0, 2};
    const uint32_t column[] = {0, 1};
    const double value[] = {1 + 1e-12, 1e-300}, w[] = {1, 1e300};
    const struct sparse_rows rows = {.start = start, .column = column, .value64 = value, .rows = 1};
    double out, gradient[2] = {0, 0}, one = 1;
    kernel->sparse->times(rows, w, &out);
    CHECK_CLOSE(out, 2 + 1e-12, 1e-15);
    kernel->sparse->many_times(rows, 1, w, &out);
    CHECK_CLOSE(out, 2 + 1e-12, 1e-15);
    kernel->sparse->back(rows, &one, gradient);
    CHECK(gradient[0] == value[0] && gradient[1] == value[1]);
    kernel->sparse->many_back(rows, 1, &one, gradient);
    CHECK(gradient[0] == 2 * value[0] && gradient[1] == 2 * value[1]);
}

TEST_LIST(LISTED(one_weight_a_column), LISTED(many_classes), LISTED(long_rows_lose_no_more_than_short_ones),
          LISTED(rows_do_not_matter_to_each_other), LISTED(weights_are_not_read_beyond_their_end),
          LISTED(widths_do_not_matter), LISTED(doubles_stay_doubles))
