/* numeric: what tests of mathematics share: draws that are the same everywhere, sums, derivatives
 * by differences, eigenvalues, and Newton's method. Small on purpose: nothing here knows the
 * library. */
#ifndef NUMERIC_H
#define NUMERIC_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"

/* ---- Draws
 * --------------------------------------------------------------------------------------- */

/* A sequence of random numbers, the same on every machine. */
struct draw {
    struct random random;
    uint64_t next;
};

static inline struct draw draw_from(uint64_t seed)
{
    return (struct draw){.random = {.seed = seed}};
}

static inline double draw_uniform(struct draw *draw, double low, double high)
{
    return low + (high - low) * random_uniform(draw->random, draw->next++);
}

static inline size_t draw_below(struct draw *draw, size_t bound)
{
    return (size_t)random_below(draw->random, draw->next++, bound);
}

/* Between low and high, uniform in the exponent. */
static inline double draw_scale(struct draw *draw, double low, double high)
{
    return exp(draw_uniform(draw, log(low), log(high)));
}

static inline void draw_normals(struct draw *draw, double *x, size_t n, double scale)
{
    for (size_t i = 0; i < n; i++)
        x[i] = scale * random_normal(draw->random, draw->next++);
}

/* n probabilities, uniform on the simplex. */
static inline void draw_probabilities(struct draw *draw, double *p, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += p[i] = -log(1 - draw_uniform(draw, 0, 1));
    for (size_t i = 0; i < n; i++)
        p[i] /= sum;
}

/* ---- Sums
 * ---------------------------------------------------------------------------------------- */

/* Compensated, so that a thousand terms cost no digits. */
static inline double sum_of(const double *x, size_t n)
{
    double sum = 0, carry = 0;
    for (size_t i = 0; i < n; i++) {
        double term = x[i] - carry, next = sum + term;
        carry = (next - sum) - term;
        sum = next;
    }
    return sum;
}

static inline double largest_of(const double *x, size_t n)
{
    double largest = x[0];
    for (size_t i = 1; i < n; i++)
        largest = fmax(largest, x[i]);
    return largest;
}

static inline double smallest_of(const double *x, size_t n)
{
    double smallest = x[0];
    for (size_t i = 1; i < n; i++)
        smallest = fmin(smallest, x[i]);
    return smallest;
}

static inline double largest_size(const double *x, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest;
}

static inline size_t place_of_largest(const double *x, size_t n)
{
    size_t place = 0;
    for (size_t i = 1; i < n; i++)
        if (x[i] > x[place])
            place = i;
    return place;
}

/* ---- Derivatives
 * --------------------------------------------------------------------------------- */

typedef double scalar_function(double x, void *context);

/* f'(x): central differences of shrinking step, extrapolated (Richardson, Neville's scheme); of all
 * extrapolations the one that two others agree with best. Ten digits for a smooth f. */
static inline double derivative(scalar_function *f, void *context, double x, double step)
{
    enum { ROUNDS = 9 };
    double table[ROUNDS][ROUNDS], best = NAN, doubt = INFINITY;
    for (int i = 0; i < ROUNDS; i++, step /= 1.6) {
        table[i][0] = (f(x + step, context) - f(x - step, context)) / (2 * step);
        double factor = 1;
        for (int j = 1; j <= i; j++) {
            factor *= 1.6 * 1.6;
            table[i][j] = (table[i][j - 1] * factor - table[i - 1][j - 1]) / (factor - 1);
            double here =
                fmax(fabs(table[i][j] - table[i][j - 1]), fabs(table[i][j] - table[i - 1][j - 1]));
            if (here < doubt) {
                doubt = here;
                best = table[i][j];
            }
        }
    }
    return best;
}

/* ---- Matrices, row by row
 * ------------------------------------------------------------------------ */

/* One Jacobi rotation: makes m[j][k] vanish. */
static inline void rotate(double *m, size_t n, size_t j, size_t k)
{
    double off = m[j * n + k];
    if (off == 0)
        return;
    double theta = (m[k * n + k] - m[j * n + j]) / (2 * off);
    double t = (theta < 0 ? -1 : 1) / (fabs(theta) + hypot(theta, 1));
    double cosine = 1 / hypot(t, 1), sine = t * cosine;
    for (size_t i = 0; i < n; i++) {
        double x = m[i * n + j], y = m[i * n + k];
        m[i * n + j] = cosine * x - sine * y;
        m[i * n + k] = sine * x + cosine * y;
    }
    for (size_t i = 0; i < n; i++) {
        double x = m[j * n + i], y = m[k * n + i];
        m[j * n + i] = cosine * x - sine * y;
        m[k * n + i] = sine * x + cosine * y;
    }
}

/* Of a symmetric matrix, which is overwritten. */
static inline double smallest_eigenvalue(double *m, size_t n)
{
    for (int sweep = 0; sweep < 12; sweep++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = j + 1; k < n; k++)
                rotate(m, n, j, k);
    double smallest = m[0];
    for (size_t j = 1; j < n; j++)
        smallest = fmin(smallest, m[j * n + j]);
    return smallest;
}

/* Solves m x = x by Cholesky, in place, after adding `ridge` to the diagonal; 0 if m is not
 * positive definite then. The lower triangle of m is overwritten. */
static inline int cholesky_solve(double *m, size_t n, double ridge, double *x)
{
    for (size_t j = 0; j < n; j++) {
        double pivot = m[j * n + j] + ridge;
        for (size_t k = 0; k < j; k++)
            pivot -= m[j * n + k] * m[j * n + k];
        if (!(pivot > 0))
            return 0;
        m[j * n + j] = sqrt(pivot);
        for (size_t i = j + 1; i < n; i++) {
            for (size_t k = 0; k < j; k++)
                m[i * n + j] -= m[i * n + k] * m[j * n + k];
            m[i * n + j] /= m[j * n + j];
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            x[i] -= m[i * n + k] * x[k];
        x[i] /= m[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            x[i] -= m[k * n + i] * x[k];
        x[i] /= m[i * n + i];
    }
    return 1;
}

#endif
