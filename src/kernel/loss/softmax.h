/* softmax: the two-temperature loss of many classes and its gradient, over a block of rows.
 *
 * Arrays are class by class, the rows of a class beside each other: entry [class * stride + row].
 * Vectors run across rows, so that ten classes and a thousand both fill them. */
#ifndef KERNEL_SOFTMAX_H
#define KERNEL_SOFTMAX_H

#include <stddef.h>
#include <stdint.h>

/* Rows are padded to a multiple of this: the longest vector of the smallest number. */
enum { SOFTMAX_PAD = 16 };

struct softmax_shape {
    size_t rows, classes;
    size_t stride; /* at least rows, rounded up to SOFTMAX_PAD; the padding is read and written */
    double t1, t2; /* legal temperatures; t2 < 1 too */
};

/* Activations must be finite: a row with any that is not gets a NaN loss, and its gradient means
 * nothing. `gradient` (eq. 14, one row) is scratch space too, so it is not `activation`. `lambda`,
 * if not NULL, is where the search starts (any number >= 0 will do, the last solution is best) and
 * receives G - max a. */
struct softmax_f32 {
    struct softmax_shape shape;
    const float *activation;
    const uint32_t *label;
    float *gradient;
    float *loss;
    float *lambda;
};

struct softmax_f64 {
    struct softmax_shape shape;
    const double *activation;
    const uint32_t *label;
    double *gradient;
    double *loss;
    double *lambda;
};

typedef void softmax_f32_fn(const struct softmax_f32 *block);
typedef void softmax_f64_fn(const struct softmax_f64 *block);

/* The references: row by row, in doubles, by the formulas as docs/math.md has them. */
softmax_f32_fn softmax_f32_plain, softmax_f32_avx2, softmax_f32_avx512, softmax_f32_neon;
softmax_f64_fn softmax_f64_plain, softmax_f64_avx2, softmax_f64_avx512, softmax_f64_neon;

#endif
