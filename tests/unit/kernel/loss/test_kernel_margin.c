/* The margin kernels against the exact functions, on random and extreme margins. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "fixtures/kernel_under_test.h"
#include "tempered/losses.h"

enum { MOST = 1000 };

/* What kernel/margin.h promises. */
static const double VALUE_BOUND = 1e-12, CURVATURE_BOUND = 1e-10;

static const double pairs[][2] = {
    {1, 1},   {0.3, 1},   {0, 1},           {0.999999, 1}, {1.5, 1}, {0.1, 1.12}, {0.4, 1.12}, {0.6, 1.6},   {1, 1.6},
    {1, 1.9}, {0, 1.5},   {1, 2},           {0.1, 5},      {1, 5},   {2, 1.5},    {1.5, 1.1},  {0.5, 3},     {0.3, 0.5},
    {0, 0},   {0.1, 0.9}, {0.5, 1.0000001}, {1, 1.001},    {0.1, 8}, {0.1, 1.9},  {0.9, 1.3},  {0.1, 0.999}, {1.2, 1.2},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

struct results {
    double value[MOST], slope[MOST], curvature[MOST];
};

/* Normal ones of several widths, and all that is special about the tables. */
static size_t fill_margins(double *margin)
{
    static const double special[] = {0,    -0.0,       1,       -1,    0.5,      -0.5,      3,       -3,       7,
                                     -7,   14.9999999, -15,     15,    -14.9999, 254.99999, -255,    255,      -254.9,
                                     1e3,  -1e3,       1e10,    -1e10, 1e300,    -1e300,    DBL_MIN, -DBL_MIN, 5e-324,
                                     1e-9, -1e-9,      0.99999, 63.99, -31.5,    DBL_MAX,   -DBL_MAX};
    size_t n = 0;
    for (; n < sizeof special / sizeof *special; n++)
        margin[n] = special[n];
    const struct random random = {.seed = 3};
    static const double widths[] = {0.1, 1, 4, 20, 100};
    for (; n < MOST; n++)
        margin[n] = widths[n % 5] * random_normal(random, n);
    return n;
}

static bool near(double x, double y, double bound)
{
    return x == y || fabs(x - y) <= bound; /* equal infinities are near */
}

static void check_margin(const struct margin_table *table, double margin, const double *got)
{
    struct margin_loss exact = tempered_margin_loss(margin, table->t1, table->t2);
    double size = fmax(1, fabs(exact.value)), curvature_size = fmax(1, fabs(exact.curvature));
    bool value = near(got[0], exact.value, VALUE_BOUND * size);
    bool slope = near(got[1], exact.slope, VALUE_BOUND * size);
    bool curvature = near(got[2], exact.curvature, CURVATURE_BOUND * fmax(size, curvature_size));
    CHECKF(value && slope && curvature,
           "(%g, %g) at %.17g: value %.17g for %.17g, slope %.17g for %.17g, curvature %.17g for "
           "%.17g",
           table->t1, table->t2, margin, got[0], exact.value, got[1], exact.slope, got[2], exact.curvature);
}

TEST(agrees_with_the_exact_functions)
{
    KERNEL_OR_SKIP;
    static double margin[MOST];
    static struct results results;
    static struct margin_table table;
    size_t n = fill_margins(margin);
    for (size_t i = 0; i < PAIRS; i += test_step(2)) {
        margin_table_build(&table, pairs[i][0], pairs[i][1]);
        kernel->margins(&table, margin, n, results.value, results.slope, results.curvature);
        for (size_t k = 0; k < n; k++)
            check_margin(&table, margin[k], (double[]){results.value[k], results.slope[k], results.curvature[k]});
    }
}

/* Few rows have no polynomials, and the same answers, whatever the memory of the table held; many have the table. */
TEST(few_rows_need_no_table)
{
    KERNEL_OR_SKIP;
    static double margin[MOST];
    static struct results results;
    static struct margin_table table, built, few;
    size_t n = fill_margins(margin);
    for (size_t i = 0; i < PAIRS; i++) {
        memset(&few, 0xff, sizeof few); /* NaN */
        margin_table_for_rows(&few, pairs[i][0], pairs[i][1], 10, true);
        CHECK(few.form == (pairs[i][1] == 1 ? MARGIN_SIGMOID : MARGIN_EXACT));
        CHECK(few.near.degree == 0 && few.floats.degree == 0 && few.sparse.degree == 0);
        kernel->margins(&few, margin, n, results.value, results.slope, results.curvature);
        for (size_t k = 0; k < n; k++)
            check_margin(&few, margin[k], (double[]){results.value[k], results.slope[k], results.curvature[k]});
        margin_table_for_rows(&table, pairs[i][0], pairs[i][1], 1000000, true);
        margin_table_build(&built, pairs[i][0], pairs[i][1]);
        CHECK(memcmp(&table, &built, sizeof built) == 0);
        margin_table_for_rows(&table, pairs[i][0], pairs[i][1], 1000000, false); /* all but the floats */
        CHECK(table.floats.degree == 0 && table.floats.limit == 0);
        table.floats = built.floats;
        CHECK(memcmp(&table, &built, sizeof built) == 0);
    }
}

/* t2 = 1 keeps its relative accuracy in the tail, where the polynomials end. */
TEST(logistic_tail_is_relative)
{
    KERNEL_OR_SKIP;
    static struct margin_table table;
    margin_table_build(&table, 1, 1);
    for (double m = 15; m < 700; m += 0.37) {
        double value, slope;
        kernel->margins(&table, &m, 1, &value, &slope, NULL);
        CHECK_CLOSE(value, log1p(exp(-m)), 1e-14);
        CHECK_CLOSE(slope, -exp(-m) / (1 + exp(-m)), 1e-14);
    }
}

/* A margin's answer depends neither on its place nor on its neighbours, and the curvature is asked
 * for or not without changing the rest. */
TEST(neighbours_do_not_matter)
{
    KERNEL_OR_SKIP;
    static double margin[MOST];
    static struct results all, alone;
    static struct margin_table table;
    size_t n = fill_margins(margin);
    for (size_t i = 0; i < PAIRS; i += 4) {
        margin_table_build(&table, pairs[i][0], pairs[i][1]);
        kernel->margins(&table, margin, n, all.value, all.slope, all.curvature);
        for (size_t k = 0; k < n; k++)
            kernel->margins(&table, margin + k, 1, alone.value + k, alone.slope + k, alone.curvature + k);
        CHECK(memcmp(&all, &alone, sizeof all) == 0);
        kernel->margins(&table, margin, n, alone.value, alone.slope, NULL);
        CHECK(memcmp(&all, &alone, sizeof all) == 0);
    }
}

/* t2 < 1 next to the edges of support, on both sides of them, where polynomials, the exact path and the constants meet;
 * the oracle is the loss of two classes by the general solver. */
TEST(edges_of_support)
{
    KERNEL_OR_SKIP;
    static const double sparse[][2] = {{0, 0},     {0, 0.1},   {0.1, 0.1}, {0.2, 0.3},  {0.3, 0.5},  {0.5, 0.5},
                                       {0.6, 0.7}, {0.1, 0.9}, {0.9, 0.9}, {0.8, 0.97}, {0.1, 0.999}};
    enum { COUNT = 800 };
    static double margin[COUNT], value[COUNT], slope[COUNT], curvature[COUNT];
    static struct margin_table table;
    for (size_t i = 0; i < sizeof sparse / sizeof *sparse; i++) {
        double t1 = sparse[i][0], t2 = sparse[i][1], edge = 1 / (1 - t2);
        margin_table_build(&table, t1, t2);
        CHECKF(table.form == MARGIN_SPARSE, "(%g, %g)", t1, t2);
        for (size_t k = 0; k < COUNT; k++) {
            double away = exp2(-(double)(k / 4) / 5) * edge; /* from the edge: down to 1e-12 of it */
            margin[k] = (k & 1 ? -1 : 1) * (k & 2 ? edge + away : edge - away);
        }
        kernel->margins(&table, margin, COUNT, value, slope, curvature);
        for (size_t k = 0; k < COUNT; k++) {
            const temper_loss_spec loss = {.method = TEMPER_TEMPERED, .t1 = t1, .t2 = t2};
            double gradient[2], hessian[4];
            double exact = tempered_loss(loss, (const double[]){margin[k], 0}, 2, 0, gradient, hessian);
            double size = fmax(1, fabs(exact));
            CHECKF(near(value[k], exact, VALUE_BOUND * size) && near(slope[k], gradient[0], VALUE_BOUND * size) &&
                       near(curvature[k], hessian[0], CURVATURE_BOUND * fmax(size, fabs(hessian[0]))),
                   "(%g, %g) at %.17g: %.17g, %.17g, %.17g for %.17g, %.17g, %.17g", t1, t2, margin[k], value[k],
                   slope[k], curvature[k], exact, gradient[0], hessian[0]);
        }
    }
}

TEST(nan_and_infinite_margins)
{
    KERNEL_OR_SKIP;
    static struct margin_table table;
    for (size_t i = 0; i < PAIRS; i++) {
        double margin[3] = {NAN, INFINITY, 1}, value[3], slope[3], curvature[3];
        margin_table_build(&table, pairs[i][0], pairs[i][1]);
        kernel->margins(&table, margin, 3, value, slope, curvature);
        CHECK(isnan(value[0]) && isnan(slope[0]) && isnan(curvature[0]));
        CHECK_NEAR(value[1], 0, 1e-300); /* the vector exponential never quite reaches 0 */
        CHECK_NEAR(slope[1], 0, 1e-300);
        CHECK_NEAR(curvature[1], 0, 1e-300);
        CHECK(!isnan(value[2]) && !isnan(slope[2]) && !isnan(curvature[2]));
    }
}

/* The table against the exact functions over the whole support: some tables, as that of (0.25, 0.9375), are fitted in
 * a second attempt. */
static void check_support(const struct kernel *kernel, const struct margin_table *table)
{
    enum { COUNT = 257 };
    double edge = 1 / (1 - table->t2), margin[COUNT], value[COUNT], slope[COUNT], curvature[COUNT];
    for (size_t k = 0; k < COUNT; k++)
        margin[k] = edge * ((double)k / 128 - 1);
    kernel->margins(table, margin, COUNT, value, slope, curvature);
    for (size_t k = 1; k + 1 < COUNT; k++) /* without the edges themselves: edges_of_support */
        check_margin(table, margin[k], (double[]){value[k], slope[k], curvature[k]});
}

/* The usual temperatures must be served by a table, not by the slow path. */
TEST(usual_temperatures_have_a_table)
{
    KERNEL_OR_SKIP;
    static struct margin_table table;
    for (double t2 = 1; t2 <= 2.01; t2 += 0.05)
        for (double t1 = 0; t1 <= 1; t1 += 0.1 * (double)test_step(5)) {
            margin_table_build(&table, t1, t2);
            CHECKF(table.form == (t2 == 1 ? MARGIN_SIGMOID : MARGIN_TABLE), "(%g, %g)", t1, t2);
            CHECKF(table.near.error <= 8e-13 && table.far.error <= 8e-13, "(%g, %g)", t1, t2);
            CHECKF(table.floats.limit > 0, "(%g, %g): floats would take the path of doubles", t1, t2);
        }
    for (double t2 = 0; t2 < 0.99; t2 += 0.0625)
        for (double t1 = 0; t1 <= t2; t1 += 0.125 * (double)test_step(2)) {
            margin_table_build(&table, t1, t2);
            CHECKF(table.form == MARGIN_SPARSE, "(%g, %g)", t1, t2);
            /* polynomials up to a hundredth of the support, on the right side up to 1e-5 of it at least */
            CHECKF(table.sparse.smallest[1] < 0.01 * table.sparse.edge &&
                       table.sparse.smallest[0] < 1e-5 * table.sparse.edge,
                   "(%g, %g): down to %g, %g", t1, t2, table.sparse.smallest[0], table.sparse.smallest[1]);
            check_support(kernel, &table);
        }
    margin_table_build(&table, 0.5, 0.9999); /* an edge that is too far away */
    CHECK(table.form == MARGIN_EXACT);
}

TEST_LIST(LISTED(agrees_with_the_exact_functions), LISTED(few_rows_need_no_table), LISTED(logistic_tail_is_relative),
          LISTED(neighbours_do_not_matter), LISTED(edges_of_support), LISTED(nan_and_infinite_margins),
          LISTED(usual_temperatures_have_a_table))
