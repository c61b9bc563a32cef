/* margin: loss, slope and curvature of many margins at once, for fixed temperatures.
 *
 * For t2 >= 1 they are smooth functions of one number: tables of polynomials are built once from
 * the exact functions. For t2 < 1 a probability reaches 0 at the margins +-1/(1-t2), the edges of support; the
 * functions are constant beyond and smooth between, and the intervals of the polynomials shrink towards the edges. */
#ifndef KERNEL_MARGIN_H
#define KERNEL_MARGIN_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

enum {
    MARGIN_SPARSE_SIDE = 64, /* intervals of each sign */
    MARGIN_SPARSE_DEGREE = 15,
};

/* Polynomials for t2 < 1. Central margins have intervals by the bits of 1 + |m|, the others by the bits of the gap
 * 1/(1-t2) - |m|, two for each octave: their width is proportional to the distance from the edge, which is the
 * singularity. */
struct margin_sparse {
    double edge, edge_low; /* 1/(1-t2) as a sum of two doubles, which gives the gap all its digits */
    double central;        /* |m| below which the bits of 1 + |m| are used */
    int64_t first_cell;    /* interval = first_cell - (bits of the gap), with exponent and one bit of the mantissa */
    double smallest[2];    /* the gap below which the exact path is taken, for positive and negative margins */
    double outside[2];     /* the value beyond the edge; slope and curvature are 0 */
    int degree;
    /* Lowest power first, all coefficients of an interval beside each other: lanes gather them. Negative margins are
     * the second half. */
    alignas(64) double coefficient[2 * MARGIN_SPARSE_SIDE][MARGIN_SPARSE_DEGREE + 1];
};

enum margin_form {
    MARGIN_EXACT,   /* no table: the polynomials exceed the error bound, or there are few rows */
    MARGIN_SIGMOID, /* t2 = 1: polynomials near 0, the formula beyond, to keep relative accuracy */
    MARGIN_TABLE,   /* t2 > 1: polynomials, coarser ones for larger |m|, the exact path beyond their limit */
    MARGIN_SPARSE,  /* t2 < 1: polynomials within the support, the exact path close to its edges */
};

struct margin_table {
    double t1, t2;
    enum margin_form form;
    struct margin_polynomials near, far;
    struct margin_floats floats; /* of `near`, for activations that are floats */
    struct margin_sparse sparse; /* for t2 < 1 instead of all these */
};

/* Any legal temperatures. The absolute error of value and slope is at most 1e-12 of max(1, value);
 * of the curvature, 1e-10 of max(1, value, |curvature|). */
void margin_table_build(struct margin_table *table, double t1, double t2);
/* Its part for t2 < 1; false if the polynomials exceed the error bound. */
bool margin_sparse_build(struct margin_sparse *sparse, double t1, double t2);
/* For a training on `rows` rows: without polynomials where there are too few rows to amortise them, and without those
 * in floats unless a kernel of floats will use the table. */
void margin_table_for_rows(struct margin_table *table, double t1, double t2, uint64_t rows, bool floats);

/* The bits of a positive number down to the first of the mantissa: two numbers for each octave, in order. */
static inline int64_t margin_half_octave(double z)
{
    int64_t bits;
    memcpy(&bits, &z, sizeof bits);
    return bits >> 51;
}

/* Fills value[i], slope[i] and, unless NULL, curvature[i] for n margins. The result of a margin does not depend on its
 * neighbours. */
typedef void margin_fn(const struct margin_table *table, const double *margin, size_t n, double *value, double *slope,
                       double *curvature);

/* One margin by the polynomials (Horner's scheme), |margin| below their limit; or by the formula of t2 = 1. */
struct margin_loss margin_polynomial(const struct margin_polynomials *polynomials, double margin);
struct margin_loss margin_sigmoid(double margin, double t1);
/* The same for t2 < 1; false where the exact path has to be taken. */
bool margin_sparse_polynomial(const struct margin_sparse *sparse, double margin, struct margin_loss *loss);

/* The reference: libm and plain C. */
margin_fn margins_plain;
margin_fn margins_avx2;
margin_fn margins_avx512;
margin_fn margins_neon;
margin_fn margins_wasm128;

#endif
