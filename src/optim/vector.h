/* vector: the operations on long vectors that minimisers use.
 *
 * Sums run in a fixed pattern of eight partial sums, so that a compiler can use vector registers
 * without changing their order: the same bits from every compiler and on every processor. */
#ifndef OPTIM_VECTOR_H
#define OPTIM_VECTOR_H

#include <stdbool.h>
#include <stddef.h>

double vector_dot(const double *x, const double *y, size_t n);
double vector_norm(const double *x, size_t n); /* infinite where the squares overflow */
/* y += a x */
void vector_add(double *restrict y, double a, const double *restrict x, size_t n);
/* The same, returning y'z: one loop, the bits of two. */
double vector_add_dot(double *restrict y, double a, const double *restrict x, const double *restrict z, size_t n);
/* y = x + a y: the next direction of conjugate gradients. */
void vector_direction(double *restrict y, double a, const double *restrict x, size_t n);
/* x += a d, r -= a p: a step of conjugate gradients. Returns r'r. */
struct vector_steps {
    double *restrict x, *restrict r;
    const double *restrict d, *restrict p;
};
double vector_advance(struct vector_steps steps, double a, size_t n);
/* With a preconditioner M whose inverse is diagonal, one number for every `group` entries, and for each of the last
 * `group` entries one of its own if `last` is not NULL: the same step, returning r'M^-1 r; y = M^-1 x + a y; y = M^-1
 * x, returning x'y. No vector is read twice, because vectors longer than the cache are limited by memory bandwidth. */
struct vector_diagonal {
    const double *number;
    size_t group;
    const double *last;
};
double vector_advance_diagonal(struct vector_diagonal diagonal, struct vector_steps steps, double a, size_t n);
void vector_direction_diagonal(struct vector_diagonal diagonal, double *restrict y, double a, const double *restrict x,
                               size_t n);
double vector_apply_diagonal(struct vector_diagonal diagonal, double *restrict y, const double *restrict x, size_t n);
/* out = x + a d */
void vector_step(double *restrict out, const double *restrict x, double a, const double *restrict d, size_t n);
/* out = x - y; out may be either. */
void vector_subtract(double *out, const double *x, const double *y, size_t n);
void vector_scale(double *x, double a, size_t n);
void vector_copy(double *restrict to, const double *restrict from, size_t n);
/* Whether |x_i| <= limit for all i. */
bool vector_within(const double *x, double limit, size_t n);
/* No NaN and no infinity. */
bool vector_finite(const double *x, size_t n);
bool vector_equal(const double *x, const double *y, size_t n);

#endif
