/* Least, greatest and sums of columns on every kernel: the bits of their definition. */
#include <math.h>
#include <string.h>

#include "fixtures/kernel_under_test.h"
#include "fixtures/numeric.h"

enum { ROWS = 9, MOST = 71, NUMBERS = ROWS * MOST };

struct table {
    double f64[NUMBERS], weight[ROWS];
    float f32[NUMBERS];
    uint8_t u8[NUMBERS];
};

struct columns {
    double low[MOST], high[MOST], sum[MOST], square[MOST];
};

/* Numbers of very different sizes: another order would be another sum. */
static void fill_table(struct table *t, uint64_t seed)
{
    struct draw draw = draw_from(seed);
    double number[NUMBERS];
    draw_normals(&draw, number, NUMBERS, 1);
    draw_normals(&draw, t->weight, ROWS, 1);
    for (size_t i = 0; i < ROWS; i++)
        t->weight[i] = fabs(t->weight[i]);
    for (size_t i = 0; i < NUMBERS; i++) {
        t->f64[i] = i % 11 == 3 ? -0.0 : number[i] * pow(10, (double)(i % 7) - 3);
        t->f32[i] = (float)t->f64[i];
        t->u8[i] = (uint8_t)(40 * fabs(number[i]));
    }
}

static struct columns fresh(void)
{
    struct columns made;
    for (size_t j = 0; j < MOST; j++) {
        made.low[j] = INFINITY;
        made.high[j] = -INFINITY;
        made.sum[j] = (double)j;
        made.square[j] = 0.5;
    }
    return made;
}

/* By the definition, from the rows as doubles. */
static void expect(const struct column_range *spread, const double *rows, struct columns *out)
{
    for (size_t j = 0; j < spread->columns; j++)
        for (size_t i = 0; i < spread->count; i++) {
            double x = rows[i * spread->columns + j], d = spread->mean ? x - spread->mean[j] : x;
            out->sum[j] += spread->weight[i] * d;
            if (spread->mean)
                out->square[j] += spread->weight[i] * d * d;
            else if (x < out->low[j])
                out->low[j] = x;
            if (!spread->mean && x > out->high[j])
                out->high[j] = x;
        }
}

/* Which type: 0 floats, 1 doubles, 2 bytes. */
static void run(const struct column_range_kernels *kernel, const struct column_range *spread, const struct table *t,
                int type)
{
    bool first = spread->mean == NULL;
    if (type == 0)
        (first ? kernel->first_f32 : kernel->second_f32)(spread, t->f32);
    else if (type == 1)
        (first ? kernel->first_f64 : kernel->second_f64)(spread, t->f64);
    else
        (first ? kernel->first_u8 : kernel->second_u8)(spread, t->u8);
}

static void check_pass(const struct kernel *kernel, const struct table *t, struct column_range shape, int type)
{
    double rows[NUMBERS];
    struct columns got = fresh(), wanted = fresh();
    for (size_t i = 0; i < NUMBERS; i++)
        rows[i] = type == 0 ? (double)t->f32[i] : type == 1 ? t->f64[i] : (double)t->u8[i];
    shape.weight = t->weight;
    expect(&shape, rows, &wanted);
    shape.low = got.low;
    shape.high = got.high;
    shape.sum = got.sum;
    shape.square = got.square;
    run(kernel->column_range, &shape, t, type);
    CHECK(memcmp(&got, &wanted, sizeof got) == 0); /* the entries after the columns are unchanged, too */
}

TEST(every_kernel_has_the_bits_of_the_definition)
{
    KERNEL_OR_SKIP;
    struct table t;
    double mean[MOST];
    struct draw draw = draw_from(5);
    fill_table(&t, 4);
    draw_normals(&draw, mean, MOST, 1);
    for (int type = 0; type < 3; type++)
        for (size_t columns = 1; columns <= MOST; columns++)
            for (size_t count = 0; count <= ROWS; count++) {
                struct column_range shape = {.count = count, .columns = columns};
                shape.behind = ROWS - count < count ? ROWS - count : count;
                check_pass(kernel, &t, shape, type);
                shape.mean = mean;
                check_pass(kernel, &t, shape, type);
            }
}

TEST_LIST(LISTED(every_kernel_has_the_bits_of_the_definition))
