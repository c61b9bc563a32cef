/* vector: the few operations on long vectors that minimisers are made of. */
#include "optim/vector.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 8 }; /* partial sums: enough to hide the latency of an addition */

/* The partial sums, pairwise: halves first, as a vector register is folded. */
static double fold(const double *part)
{
    return ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7]));
}

double vector_dot(const double *x, const double *y, size_t n)
{
    double part[WIDTH] = {0};
    size_t i = 0;
    for (; i + WIDTH <= n; i += WIDTH)
        for (size_t j = 0; j < WIDTH; j++)
            part[j] += x[i + j] * y[i + j];
    for (size_t j = 0; i + j < n; j++)
        part[j] += x[i + j] * y[i + j];
    return fold(part);
}

double vector_norm(const double *x, size_t n)
{
    return sqrt(vector_dot(x, x, n));
}

void vector_add(double *restrict y, double a, const double *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

double vector_add_dot(double *restrict y, double a, const double *restrict x, const double *restrict z, size_t n)
{
    double part[WIDTH] = {0};
    size_t i = 0;
    for (; i + WIDTH <= n; i += WIDTH)
        for (size_t j = 0; j < WIDTH; j++) {
            y[i + j] += a * x[i + j];
            part[j] += y[i + j] * z[i + j];
        }
    for (size_t j = 0; i + j < n; j++) {
        y[i + j] += a * x[i + j];
        part[j] += y[i + j] * z[i + j];
    }
    return fold(part);
}

void vector_turn(double *restrict y, double a, const double *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] + a * y[i];
}

/* One loop for all, because vectors that are longer than the cache wait for memory alone. `number`
 * is NULL, which the compiler sees, or has one for every entry, by which squares are multiplied. */
static inline __attribute__((always_inline)) double advance_each(const double *restrict number,
                                                                 struct vector_steps steps, double a, size_t n)
{
    double *restrict x = steps.x, *restrict r = steps.r;
    const double *restrict d = steps.d, *restrict p = steps.p;
    double part[WIDTH] = {0};
    size_t i = 0;
    for (; i + WIDTH <= n; i += WIDTH)
        for (size_t j = 0; j < WIDTH; j++) {
            x[i + j] += a * d[i + j];
            r[i + j] -= a * p[i + j];
            part[j] += (number ? number[i + j] * r[i + j] : r[i + j]) * r[i + j];
        }
    for (size_t j = 0; i + j < n; j++) {
        x[i + j] += a * d[i + j];
        r[i + j] -= a * p[i + j];
        part[j] += (number ? number[i + j] * r[i + j] : r[i + j]) * r[i + j];
    }
    return fold(part);
}

double vector_advance(struct vector_steps steps, double a, size_t n)
{
    return advance_each(NULL, steps, a, n);
}

double vector_advance_in(struct vector_diagonal metric, struct vector_steps steps, double a, size_t n)
{
    double sum = 0;
    if (metric.together == 1)
        return advance_each(metric.number, steps, a, n);
    for (size_t from = 0, j = 0; from < n; from += metric.together, j++) {
        const size_t count = n - from < metric.together ? n - from : metric.together;
        const struct vector_steps some = {steps.x + from, steps.r + from, steps.d + from, steps.p + from};
        sum += metric.number[j] * vector_advance(some, a, count);
    }
    return sum;
}

void vector_turn_in(struct vector_diagonal metric, double *restrict y, double a, const double *restrict x, size_t n)
{
    if (metric.together == 1) {
        for (size_t i = 0; i < n; i++)
            y[i] = metric.number[i] * x[i] + a * y[i];
        return;
    }
    for (size_t from = 0, j = 0; from < n; from += metric.together, j++) {
        const size_t count = n - from < metric.together ? n - from : metric.together;
        const double number = metric.number[j];
        for (size_t i = from; i < from + count; i++)
            y[i] = number * x[i] + a * y[i];
    }
}

double vector_solve_in(struct vector_diagonal metric, double *restrict y, const double *restrict x, size_t n)
{
    double sum = 0;
    if (metric.together == 1) {
        for (size_t i = 0; i < n; i++)
            y[i] = metric.number[i] * x[i];
        return vector_dot(x, y, n);
    }
    for (size_t from = 0, j = 0; from < n; from += metric.together, j++) {
        const size_t count = n - from < metric.together ? n - from : metric.together;
        for (size_t i = from; i < from + count; i++)
            y[i] = metric.number[j] * x[i];
        sum += vector_dot(x + from, y + from, count);
    }
    return sum;
}

void vector_step(double *restrict out, const double *restrict x, double a, const double *restrict d, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = x[i] + a * d[i];
}

void vector_subtract(double *out, const double *x, const double *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = x[i] - y[i];
}

void vector_scale(double *x, double a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] *= a;
}

void vector_copy(double *restrict to, const double *restrict from, size_t n)
{
    if (n > 0)
        memcpy(to, from, n * sizeof *to);
}

bool vector_finite(const double *x, size_t n)
{
    /* A zero times anything finite is 0, times NaN or infinity NaN, which no addition removes. */
    double zero[WIDTH] = {0};
    size_t i = 0;
    for (; i + WIDTH <= n; i += WIDTH)
        for (size_t j = 0; j < WIDTH; j++)
            zero[j] += 0 * x[i + j];
    for (size_t j = 0; i + j < n; j++)
        zero[j] += 0 * x[i + j];
    return fold(zero) == 0;
}

bool vector_equal(const double *x, const double *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i])
            return false;
    return true;
}
