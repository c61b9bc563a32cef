/* vector: the operations on long vectors that minimisers use: dot products, axpy, and the fused loops of conjugate
 * gradients.
 *
 * All sums are made of eight partial sums, entry i going to sum i mod 8, which are added in a fixed order: a compiler
 * can keep them in vector registers of any width, and the bits are the same with each. */
#include "optim/vector.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 8 }; /* partial sums: enough to hide the latency of an addition */

/* Adds the partial sums pairwise: halves first, as a vector register is reduced. This order is part of the results. */
static double fold(const double *part)
{
    return ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7]));
}

/* The dot product. The last n mod 8 entries go to the first partial sums, so that they need no other code path. */
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

/* Not scaled against overflow: a vector whose squares overflow counts as not finite everywhere. */
double vector_norm(const double *x, size_t n)
{
    return sqrt(vector_dot(x, x, n));
}

/* axpy. `restrict` is what lets the compiler vectorise this and the loops below. */
void vector_add(double *restrict y, double a, const double *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

/* y += a x and y'z in one pass: the two-loop recursion of L-BFGS needs both for each pair. */
double vector_add_dot(double *restrict y, double a, const double *restrict x, const double *restrict z, size_t n)
{
    double part[WIDTH] = {0};
    size_t i = 0;
    for (; i + WIDTH <= n; i += WIDTH)
        /* The dot product uses the y just computed, while it is in a register. */
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

/* The recurrence d = r + beta d of conjugate gradients. */
void vector_direction(double *restrict y, double a, const double *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] + a * y[i];
}

/* One loop for all three results, because vectors longer than the cache are limited by memory bandwidth. `number` is
 * NULL, or the diagonal of M^-1, one number for each entry; the function is always inlined, so that the compiler
 * removes the branch on it. Returns r'M^-1 r. */
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

/* Without a preconditioner: r'r. */
double vector_advance(struct vector_steps steps, double a, size_t n)
{
    return advance_each(NULL, steps, a, n);
}

/* The entries that share numbers, and those behind them, each of which has its own (diagonal.last). */
struct diagonal_parts {
    struct vector_diagonal shared, own;
    size_t at; /* where the latter begin */
};

static struct diagonal_parts split_diagonal(struct vector_diagonal diagonal, size_t n)
{
    return (struct diagonal_parts){
        .shared = {diagonal.number, diagonal.group, NULL}, .own = {diagonal.last, 1, NULL}, .at = n - diagonal.group};
}

/* With M^-1 = diag(number), each number repeated `group` times, because the classes share one number for each feature:
 * the sum over each group is computed first, then weighted. */
double vector_advance_diagonal(struct vector_diagonal diagonal, struct vector_steps steps, double a, size_t n)
{
    double sum = 0;
    if (diagonal.last) {
        const struct diagonal_parts parts = split_diagonal(diagonal, n);
        const size_t at = parts.at;
        const struct vector_steps last = {steps.x + at, steps.r + at, steps.d + at, steps.p + at};
        sum = vector_advance_diagonal(parts.shared, steps, a, at);
        return sum + vector_advance_diagonal(parts.own, last, a, n - at);
    }
    if (diagonal.group == 1)
        return advance_each(diagonal.number, steps, a, n);
    for (size_t from = 0, j = 0; from < n; from += diagonal.group, j++) {
        const size_t count = n - from < diagonal.group ? n - from : diagonal.group;
        const struct vector_steps some = {steps.x + from, steps.r + from, steps.d + from, steps.p + from};
        sum += diagonal.number[j] * vector_advance(some, a, count);
    }
    return sum;
}

/* y = M^-1 x + a y: the next direction of preconditioned conjugate gradients. */
void vector_direction_diagonal(struct vector_diagonal diagonal, double *restrict y, double a, const double *restrict x,
                               size_t n)
{
    if (diagonal.last) {
        const struct diagonal_parts parts = split_diagonal(diagonal, n);
        vector_direction_diagonal(parts.shared, y, a, x, parts.at);
        vector_direction_diagonal(parts.own, y + parts.at, a, x + parts.at, n - parts.at);
        return;
    }
    if (diagonal.group == 1) {
        for (size_t i = 0; i < n; i++)
            y[i] = diagonal.number[i] * x[i] + a * y[i];
        return;
    }
    for (size_t from = 0, j = 0; from < n; from += diagonal.group, j++) {
        const size_t count = n - from < diagonal.group ? n - from : diagonal.group;
        const double number = diagonal.number[j];
        for (size_t i = from; i < from + count; i++)
            y[i] = number * x[i] + a * y[i];
    }
}

/* y = M^-1 x; returns x'M^-1 x, for the first direction, where nothing has been fused yet. */
double vector_apply_diagonal(struct vector_diagonal diagonal, double *restrict y, const double *restrict x, size_t n)
{
    double sum = 0;
    if (diagonal.last) {
        const struct diagonal_parts parts = split_diagonal(diagonal, n);
        sum = vector_apply_diagonal(parts.shared, y, x, parts.at);
        return sum + vector_apply_diagonal(parts.own, y + parts.at, x + parts.at, n - parts.at);
    }
    if (diagonal.group == 1) {
        for (size_t i = 0; i < n; i++)
            y[i] = diagonal.number[i] * x[i];
        return vector_dot(x, y, n);
    }
    for (size_t from = 0, j = 0; from < n; from += diagonal.group, j++) {
        const size_t count = n - from < diagonal.group ? n - from : diagonal.group;
        for (size_t i = from; i < from + count; i++)
            y[i] = diagonal.number[j] * x[i];
        sum += vector_dot(x + from, y + from, count);
    }
    return sum;
}

/* out = x + a d: the trial point of a line search. */
void vector_step(double *restrict out, const double *restrict x, double a, const double *restrict d, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = x[i] + a * d[i];
}

/* Without `restrict`: out may be x or y. */
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

/* n = 0 may come with NULL pointers, which memcpy must not be given. */
void vector_copy(double *restrict to, const double *restrict from, size_t n)
{
    if (n > 0)
        memcpy(to, from, n * sizeof *to);
}

/* Whether no entry is NaN or infinite, without a branch in the loop. */
/* Blocks, so that a long vector with a large entry at its beginning is not read to its end, and each block is a loop
 * without branches. NaN is outside of any limit. */
bool vector_within(const double *x, double limit, size_t n)
{
    enum { BLOCK = 256 };
    for (size_t from = 0; from < n; from += BLOCK) {
        size_t end = n - from < BLOCK ? n : from + BLOCK;
        int outside = 0;
        for (size_t i = from; i < end; i++)
            outside |= !(fabs(x[i]) <= limit);
        if (outside)
            return false;
    }
    return true;
}

bool vector_finite(const double *x, size_t n)
{
    /* 0 times a finite number is 0; 0 times NaN or infinity is NaN, which no addition removes. */
    double zero[WIDTH] = {0};
    size_t i = 0;
    for (; i + WIDTH <= n; i += WIDTH)
        for (size_t j = 0; j < WIDTH; j++)
            zero[j] += 0 * x[i + j];
    for (size_t j = 0; i + j < n; j++)
        zero[j] += 0 * x[i + j];
    return fold(zero) == 0;
}

/* By value: 0 and -0 are equal, and NaN equals nothing. Vectors that differ usually do so at once. */
bool vector_equal(const double *x, const double *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i])
            return false;
    return true;
}
