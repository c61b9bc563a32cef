/* test_kernel_linear_arrays: arrays and exact sums for test_kernel_linear.h, which defines `real`,
 * EPS and SMALLEST before. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/random.h"

enum { MOST_ARRAYS = 16 };

/* Arrays that end where their memory ends, so that a sanitizer sees who reads on. */
struct arrays {
    void *base[MOST_ARRAYS];
    size_t count;
    size_t shift; /* numbers before each array: its offset from an aligned address */
    uint64_t drawn;
};

static real *array(struct arrays *all, size_t n)
{
    real *base = malloc((n + all->shift + 1) * sizeof *base);
    if (!base || all->count == MOST_ARRAYS)
        abort();
    all->base[all->count++] = base;
    return base + all->shift + 1;
}

static double *doubles(struct arrays *all, size_t n)
{
    double *base = malloc((n + 1) * sizeof *base);
    if (!base || all->count == MOST_ARRAYS)
        abort();
    all->base[all->count++] = base;
    for (size_t i = 0; i <= n; i++)
        base[i] = (double)i / 64;
    return base + 1;
}

static void release(struct arrays *all)
{
    while (all->count > 0)
        free(all->base[--all->count]);
}

/* Normal numbers; with spread > 0 of very different sizes, up to 10^+-spread. */
static real *numbers(struct arrays *all, size_t n, double spread)
{
    const struct random random = {.seed = 11};
    real *x = array(all, n);
    for (size_t i = 0; i < n; i++) {
        double size = spread * (2 * random_uniform(random, all->drawn + 2 * i) - 1);
        x[i] = (real)(random_normal(random, all->drawn + 2 * i + 1) * pow(10, size));
    }
    all->drawn += 2 * n;
    return x;
}

static real *filled(struct arrays *all, size_t n, real value)
{
    real *x = array(all, n);
    for (size_t i = 0; i < n; i++)
        x[i] = value;
    return x;
}

/* A sum and how far off it may be. */
struct sum {
    long double exact, sizes;
    size_t terms;
};

static void sum_add(struct sum *sum, long double term)
{
    sum->exact += term;
    sum->sizes += fabsl(term);
    sum->terms++;
}

/* `got` is the sum, plus what was there `before` in doubles. */
static bool is_sum(double got, const struct sum *sum, double before)
{
    long double bound = (long double)(sum->terms + 4) * ((long double)EPS * sum->sizes + SMALLEST);
    long double exact = sum->exact + (long double)before;
    return fabsl((long double)got - exact) <= bound + 2 * (long double)DBL_EPSILON * fabsl(exact);
}
