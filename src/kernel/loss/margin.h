/* margin: loss, slope and curvature of many margins at once, for fixed temperatures.
 *
 * For t2 >= 1 they are smooth functions of one number: tables of polynomials are built once from
 * the exact functions. For t2 < 1, where p reaches 0, every margin takes the exact path. */
#ifndef KERNEL_MARGIN_H
#define KERNEL_MARGIN_H

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

#include "tempered/losses.h"

enum {
    MARGIN_INTERVALS = 16, /* eight for each sign of m */
    MARGIN_MAX_DEGREE = 21,
    MARGIN_FLOAT_INTERVALS = 32, /* sixteen for each sign */
    MARGIN_FLOAT_DEGREE = 9,
};

/* Polynomials on intervals that are determined by the bits of 1 + |m|: its exponent 0..7, or (split) its
 * exponent 0..3 and the first bit of its mantissa. */
struct margin_polynomials {
    int split;    /* 0 or 1 */
    double limit; /* of |m|: 255 or 15 */
    int degree;
    /* The largest error of value and slope found while building, relative to max(1, |value|). */
    double error;
    /* Highest power first, a row of all intervals for each power: one lookup instruction reads it. The
     * argument is the position x in [-1, 1) within the interval. */
    alignas(64) double coefficient[MARGIN_MAX_DEGREE + 1][MARGIN_INTERVALS];
};

/* The same in floats: intervals by the exponent 0..3 and two bits of the mantissa. */
struct margin_floats {
    float limit; /* of |m|: 15; 0 if they exceed the error bound, and must not be used */
    int degree;
    double error;
    alignas(64) float coefficient[MARGIN_FLOAT_DEGREE + 1][MARGIN_FLOAT_INTERVALS];
};

enum margin_form {
    MARGIN_EXACT,   /* no table: t2 < 1, or the polynomials exceed the error bound */
    MARGIN_SIGMOID, /* t2 = 1: polynomials near 0, the formula beyond, to keep relative accuracy */
    MARGIN_TABLE,   /* t2 > 1: polynomials, coarser ones for larger |m|, the exact path beyond their limit */
};

struct margin_table {
    double t1, t2;
    enum margin_form form;
    struct margin_polynomials near, far;
    struct margin_floats floats; /* of `near`, for activations that are floats */
};

/* Any legal temperatures. The absolute error of value and slope is at most 1e-12 of max(1, value);
 * of the curvature, 1e-10 of max(1, value, |curvature|). */
void margin_table_build(struct margin_table *table, double t1, double t2);
/* For a training on `rows` rows: without polynomials where there are too few rows to amortise them. */
void margin_table_for_rows(struct margin_table *table, double t1, double t2, uint64_t rows);

/* Fills value[i], slope[i] and, unless NULL, curvature[i] for n margins. The result of a margin does not depend on its
 * neighbours. */
typedef void margin_fn(const struct margin_table *table, const double *margin, size_t n, double *value, double *slope,
                       double *curvature);

/* One margin by the polynomials (Horner's scheme), |margin| below their limit; or by the formula of t2 = 1. */
struct margin_loss margin_polynomial(const struct margin_polynomials *polynomials, double margin);
struct margin_loss margin_sigmoid(double margin, double t1);

/* The reference: libm and plain C. */
margin_fn margins_plain;
margin_fn margins_avx2;
margin_fn margins_avx512;
margin_fn margins_neon;

#endif
