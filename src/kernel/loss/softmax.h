/* softmax: the two-temperature loss of many classes and its gradient, over a block of rows.
 *
 * Arrays are class-major: entry [class * stride + row]. Lanes run along the rows, so that any number of
 * classes fills the vectors. */
#ifndef KERNEL_SOFTMAX_H
#define KERNEL_SOFTMAX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows are padded to a multiple of this: the longest vector of the smallest number. */
enum { SOFTMAX_PAD = 16 };

struct softmax_shape {
    size_t rows, classes;
    size_t stride; /* at least rows, rounded up to SOFTMAX_PAD; the padding is read and written */
    double t1, t2; /* legal temperatures; t2 < 1 too */
};

/* Activations must be finite: otherwise the loss of the row is NaN, and its gradient undefined.
 * `gradient` (eq. 14, one row) is workspace too, so it must not be `activation`. `lambda`, if not NULL, is
 * the start of the iteration (any number >= 0; the last solution is best) and receives G - max a. */
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
softmax_f32_fn softmax_f32_plain, softmax_f32_avx2, softmax_f32_avx512, softmax_f32_neon, softmax_f32_wasm128;
softmax_f64_fn softmax_f64_plain, softmax_f64_avx2, softmax_f64_avx512, softmax_f64_neon, softmax_f64_wasm128;

/* The same for labels that are distributions, and for the bi-tempered loss (tempered/target_losses.h). */
struct softmax_targets_f32 {
    struct softmax_f32 block; /* `label` is used, or NULL; `lambda` is not used */
    /* Without labels the distributions, class-major; with labels, which are for `bregman` alone, not read. It is
     * workspace, and overwritten, in any case. */
    float *target;
    bool bregman; /* t1 < 2 */
};

struct softmax_targets_f64 {
    struct softmax_f64 block;
    double *target;
    bool bregman;
};

typedef void softmax_targets_f32_fn(const struct softmax_targets_f32 *rows);
typedef void softmax_targets_f64_fn(const struct softmax_targets_f64 *rows);

softmax_targets_f32_fn softmax_targets_f32_plain, softmax_targets_f32_avx2, softmax_targets_f32_avx512,
    softmax_targets_f32_neon, softmax_targets_f32_wasm128;
softmax_targets_f64_fn softmax_targets_f64_plain, softmax_targets_f64_avx2, softmax_targets_f64_avx512,
    softmax_targets_f64_neon, softmax_targets_f64_wasm128;

#endif
