/* Every function of the t-exponential family against 60-digit values.
 *
 * tests/golden/tempered.tsv is ours (tools/make-golden); $TEMPER_GOLDEN may name more files, and
 * ../shared/golden is taken where it is there. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/golden_values.h"
#include "fixtures/test.h"
#include "temper_extra.h"

/* The worst error seen of each kind, in units of its bound. */
struct worst {
    double p, escort, loss, gradient, partition, excess;
};

static void keep(double *worst, double error, const struct golden *row, const char *what, size_t c)
{
    CHECKF(error <= 1, "line %zu: %s[%zu] is %.3g times its bound; t1 = %.17g, t2 = %.17g, n = %zu", row->line, what, c,
           error, row->t1, row->t2, row->n);
    *worst = fmax(*worst, error);
}

/* |x - y| against a bound, counting numbers below the normal range as what they round to. */
static double error_of(double x, double y, double bound)
{
    return x == y ? 0 : fabs(x - y) / fmax(bound, DBL_MIN * 1e-3);
}

/* Below `floor` the losses of a file are the rounding errors of its 1 - p. */
static void compare(const struct golden *row, double floor, struct worst *worst)
{
    size_t n = row->n;
    double *out = malloc(n * sizeof *out), size = 0, steepest = 0, top = -INFINITY;
    for (size_t c = 0; c < n; c++) {
        size = fmax(size, fabs(row->a[c]));
        top = fmax(top, row->a[c]);
        steepest = fmax(steepest, fabs(row->gradient[c]));
    }
    temper_probabilities(row->a, n, row->t2, out);
    for (size_t c = 0; c < n; c++)
        keep(&worst->p, error_of(out[c], row->p[c], 1e-12 * row->p[c]), row, "p", c);
    temper_log_partition_gradient(row->a, n, row->t2, out);
    for (size_t c = 0; c < n; c++)
        keep(&worst->escort, error_of(out[c], row->escort[c], 1e-12 * row->escort[c]), row, "q", c);
    double loss = temper_loss(row->a, n, row->label, row->t1, row->t2, out);
    keep(&worst->loss, error_of(loss, row->loss, fmax(1e-12 * row->loss, floor)), row, "loss", 0);
    for (size_t c = 0; c < n; c++)
        keep(&worst->gradient, error_of(out[c], row->gradient[c], fmax(1e-12 * steepest, floor)), row, "gradient", c);
    double partition = temper_log_partition(row->a, n, row->t2);
    keep(&worst->partition, error_of(partition, row->partition, 1e-14 * fmax(size, fabs(row->partition))), row, "G", 0);
    double excess = temper_log_partition_excess(row->a, n, row->t2);
    if (!isnan(row->excess))
        keep(&worst->excess, error_of(excess, row->excess, 1e-12 * row->excess), row, "lambda", 0);
    free(out);
}

/* The public escort takes p as doubles, so it is held to the escort of those. */
static void compare_escort(const struct golden *row, struct worst *worst)
{
    double *q = malloc(row->n * sizeof *q);
    temper_escort(row->p, row->n, row->t2, q);
    for (size_t c = 0; c < row->n; c++)
        if (row->p[c] >= DBL_MIN)
            keep(&worst->escort, error_of(q[c], row->escort[c], 1e-12 * row->escort[c]), row, "temper_escort", c);
    free(q);
}

/* False if the file is not there. */
static bool compare_file(const char *path, double floor)
{
    FILE *file = fopen(path, "r");
    struct golden row = {0};
    struct worst worst = {0};
    size_t rows = 0;
    if (!file)
        return false;
    for (; golden_next(file, &row); rows++) {
        compare(&row, floor, &worst);
        compare_escort(&row, &worst);
        golden_free(&row);
    }
    fclose(file);
    CHECKF(rows > 300, "%s has only %zu rows", path, rows);
    printf("  %s: %zu rows; worst errors, of their bounds: p %.2g, escort %.2g, loss %.2g, "
           "gradient %.2g, G %.2g, lambda %.2g\n",
           path, rows, worst.p, worst.escort, worst.loss, worst.gradient, worst.partition, worst.excess);
    return true;
}

TEST(own_values)
{
    CHECK(compare_file(TEMPER_SOURCE_DIR "/tests/golden/tempered.tsv", 0));
}

TEST(shared_values)
{
    const char *named = getenv("TEMPER_GOLDEN");
    /* made with 60 digits */
    if (!compare_file(named ? named : TEMPER_SOURCE_DIR "/../shared/golden/tempered.tsv", 1e-50))
        SKIP("no further golden values; name a file in TEMPER_GOLDEN");
}

TEST_LIST(LISTED(own_values), LISTED(shared_values))
