/* The residual kernels against the exact functions, row by row and in their sums. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "fixtures/kernel_under_test.h"
#include "tempered/losses.h"

enum { MOST = 203 };

static const double pairs[][2] = {{1, 1},   {0.3, 1},   {0.6, 1.6}, {0, 1.5}, {1, 5},
                                  {0.1, 8}, {0.3, 0.5}, {1.5, 1},   {1, 2},   {0.1, 1.12}};
enum { PAIRS = sizeof pairs / sizeof *pairs };

/* Rows, and what became of them. */
struct data {
    struct margin_table table;
    uint32_t label[MOST];
    double activation[MOST], weight[MOST], curvature[MOST], residual[MOST];
    struct residual_sums sums;
    float number[MOST];
};

/* Wide and narrow margins, such as no polynomial reaches among them, and 0. */
static void fill(struct data *data, double spread)
{
    const struct random random = {.seed = 11};
    for (size_t i = 0; i < MOST; i++) {
        data->activation[i] = (double)(float)(spread * random_normal(random, i));
        data->label[i] = (uint32_t)(i * 7 % 3 == 1);
        data->weight[i] = (double)(i % 5) / 2;
    }
    data->activation[3] = data->activation[4] = 0;
    data->label[3] = 1;
    data->label[4] = 0;
}

static struct residual_rows rows_of(struct data *data, size_t from, size_t count, bool weighted, bool with_curvature)
{
    return (struct residual_rows){.table = &data->table,
                                  .label = data->label + from,
                                  .weight = weighted ? data->weight + from : NULL,
                                  .rows = count,
                                  .bias = 0.25,
                                  .curvature = with_curvature ? data->curvature + from : NULL};
}

/* Runs the kernel of floats or of doubles. */
static void run(const struct kernel *kernel, struct data *data, struct residual_rows rows, size_t from, bool floats)
{
    data->sums = (struct residual_sums){0};
    if (!floats) {
        memcpy(data->residual + from, data->activation + from, rows.rows * sizeof(double));
        kernel->residual_f64(&rows, data->residual + from, &data->sums);
        return;
    }
    for (size_t i = 0; i < rows.rows; i++)
        data->number[from + i] = (float)data->activation[from + i];
    kernel->residual_f32(&rows, data->number + from, &data->sums);
    for (size_t i = 0; i < rows.rows; i++)
        data->residual[from + i] = (double)data->number[from + i];
}

/* Each row and the sums, within `bound` of what is about 1 or larger. */
static void check(const struct data *data, struct residual_rows rows, size_t from, double bound)
{
    struct residual_sums exact = {0};
    double room = 0;
    for (size_t i = from; i < from + rows.rows; i++) {
        double a = data->activation[i] + rows.bias, weight = rows.weight ? data->weight[i] : 1;
        double sign = data->label[i] == 1 ? 1 : -1;
        struct margin_loss loss = tempered_margin_loss(sign * a, data->table.t1, data->table.t2);
        double size = fmax(fmax(1, fabs(loss.value)), fabs(a)) * fmax(1, weight);
        double curvature_size = fmax(size, fabs(loss.curvature) * weight);
        exact.loss += weight * loss.value;
        exact.correct += (a > 0) == (data->label[i] == 1) ? weight : 0;
        exact.residual += sign * loss.slope * weight;
        room += bound * size;
        CHECKF(fabs(data->residual[i] - sign * loss.slope * weight) <= bound * size,
               "(%g, %g) at %.9g: %.17g for %.17g", data->table.t1, data->table.t2, sign * a, data->residual[i],
               sign * loss.slope * weight);
        CHECKF(!rows.curvature || fabs(data->curvature[i] - weight * loss.curvature) <= 100 * bound * curvature_size,
               "(%g, %g) at %.9g: curvature %.17g for %.17g", data->table.t1, data->table.t2, sign * a,
               data->curvature[i], weight * loss.curvature);
    }
    CHECKF(fabs(data->sums.loss - exact.loss) <= room, "loss %.17g for %.17g", data->sums.loss, exact.loss);
    CHECKF(fabs(data->sums.residual - exact.residual) <= room, "residuals %.17g for %.17g", data->sums.residual,
           exact.residual);
    CHECK(data->sums.correct == exact.correct);
}

static void check_all(const struct kernel *kernel, bool floats, double bound)
{
    static struct data data;
    static const double spreads[] = {1, 4, 30, 400};
    static const size_t counts[] = {MOST, 0, 1, 15, 16, 17, 32, 33, 64};
    for (size_t i = 0; i < PAIRS; i += test_step(2)) {
        margin_table_build(&data.table, pairs[i][0], pairs[i][1]);
        for (size_t k = 0; k < 4 * 4 * (sizeof counts / sizeof *counts); k++) {
            struct residual_rows rows = rows_of(&data, k % 2, counts[k / 16] - (k % 2 && counts[k / 16] == MOST),
                                                k / 2 % 2 != 0, k / 4 % 2 != 0);
            /* of losses that grow like powers of e, such as floats can hold */
            fill(&data, pairs[i][0] > pairs[i][1] ? fmin(30, spreads[k % 4]) : spreads[k % 4]);
            run(kernel, &data, rows, k % 2, floats);
            check(&data, rows, k % 2, bound);
        }
    }
}

TEST(doubles)
{
    KERNEL_OR_SKIP;
    check_all(kernel, false, 1e-12);
}

TEST(floats)
{
    KERNEL_OR_SKIP;
    check_all(kernel, true, 4e-7);
}

/* The residual of a row depends neither on its position nor on the other rows of the block. */
static void check_neighbours(const struct kernel *kernel, bool floats, bool weighted)
{
    static struct data all, one;
    for (size_t i = 0; i < PAIRS; i++) {
        margin_table_build(&all.table, pairs[i][0], pairs[i][1]);
        fill(&all, 9);
        one = all;
        run(kernel, &all, rows_of(&all, 0, MOST, weighted, false), 0, floats);
        for (size_t k = 0; k < MOST; k++) {
            run(kernel, &one, rows_of(&one, k, 1, weighted, k % 2 != 0), k, floats);
            CHECKF(one.residual[k] == all.residual[k], "row %zu", k);
        }
    }
}

TEST(neighbours_do_not_matter)
{
    KERNEL_OR_SKIP;
    for (int k = 0; k < 4; k++)
        check_neighbours(kernel, k % 2 != 0, k / 2 != 0);
}

TEST(nan_stays_nan)
{
    KERNEL_OR_SKIP;
    static struct data data;
    margin_table_build(&data.table, 1, 1);
    fill(&data, 1);
    data.activation[5] = NAN;
    for (int floats = 0; floats < 2; floats++) {
        run(kernel, &data, rows_of(&data, 0, 40, false, false), 0, floats != 0);
        CHECK(isnan(data.residual[5]) && isnan(data.sums.loss));
        CHECK(!isnan(data.residual[4]) && !isnan(data.residual[6]));
    }
}

TEST_LIST(LISTED(doubles), LISTED(floats), LISTED(neighbours_do_not_matter), LISTED(nan_stays_nan))
