/* linear: products of a block of dense rows with weights, and of residuals with the block: the hot loops of
 * training.
 *
 * Rows are contiguous, as in the caller's array, so that data of the right type is not copied; other data
 * is converted block by block into workspace that stays in the cache. Sums within a block are in the type
 * of the block, sums over blocks in doubles. For one kernel the same block gives the same bits at any
 * address. */
#ifndef KERNEL_LINEAR_H
#define KERNEL_LINEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows of a longer array: the rows after them are prefetched. */
struct rows_u8 {
    const uint8_t *x;
    size_t rows, columns;
};

struct rows_f32 {
    const float *x;
    size_t rows, columns;
};

struct rows_f64 {
    const double *x;
    size_t rows, columns;
};

/* Hints about a block. */
struct linear_hints {
    bool cached; /* it and the rows after it are in the cache: no prefetch */
    /* Workspace for short rows of another type, converted to the type of the sums, or NULL: aligned,
     * linear_wide() numbers. `times` stores them, and `back` of the same rows reuses them. */
    void *wide;
};

/* Scaling of each column: (x - offset) * factor; offset NULL: none. */
struct rows_scale {
    const double *offset, *factor;
};

/* Activations and residuals of many classes: entry [class * stride + row], the layout of the softmax;
 * many_times sets the padding, up to a multiple of SOFTMAX_PAD rows, to 0. Weights and gradients:
 * [column * classes + class]. */
struct many_f32 {
    struct rows_f32 block;
    size_t classes;
    size_t stride;  /* at least rows, rounded up to SOFTMAX_PAD */
    float *scratch; /* linear_scratch() numbers */
    /* Number of all classes, if these are a subset; 0: these are all. For the same number the
     * activations of a class have the same bits, whatever the subset. */
    size_t of;
};

struct many_f64 {
    struct rows_f64 block;
    size_t classes;
    size_t stride;
    double *scratch;
    size_t of;
};

/* Rows of which a prediction takes scores: floats or doubles, of which one is not NULL. */
struct linear_scores {
    const float *x_f32;
    const double *x_f64;
    size_t rows, columns, classes, stride;
    const double *weights, *bias; /* [column * classes + class], [class] */
    double largest;
    double *scratch; /* linear_scratch() numbers */
};

/* Rows of a Gram matrix, for one of several threads. */
struct gram_lines {
    size_t from, to;
};

struct linear_f32 {
    /* out[i] = sum_j x[i][j] w[j] */
    void (*times)(struct rows_f32 block, const float *w, float *out);
    /* gradient[j] += sum_i r[i] x[i][j] */
    void (*back)(struct rows_f32 block, const float *r, double *gradient);
    /* The same on a block that is in the cache: no prefetch. */
    void (*times_cached)(struct rows_f32 block, const float *w, float *out);
    void (*back_cached)(struct rows_f32 block, const float *r, double *gradient);
    /* Both in one loop: out = X w for the block, and sum[j] += sum_i r[i] x[i][j] for the `before` rows in front of it.
     * `sum` has linear_fused_sums() numbers. For few columns the gradient has other bits than that of `back`. */
    void (*fused)(struct rows_f32 block, size_t before, const float *w, float *out, const float *r, float *sum);
    size_t fused_step; /* the number of rows is best a multiple of it */
    /* The same on a block of bytes, converted to floats as they are read: the same bits. */
    void (*times_u8)(struct rows_u8 block, struct linear_hints aside, const float *w, float *out);
    void (*back_u8)(struct rows_u8 block, struct linear_hints aside, const float *r, double *gradient);
    /* out[c * stride + i] = sum_j x[i][j] w[j * classes + c] */
    void (*many_times)(const struct many_f32 *many, const float *w, float *out);
    /* gradient[j * classes + c] += sum_i r[c * stride + i] x[i][j] */
    void (*many_back)(const struct many_f32 *many, const float *r, double *gradient);
    /* gram[j * columns + k] += sum_i weight[i] x[i][j] x[i][k] for k <= j and j of these lines, the
     * bits of which do not depend on the others; `scratch` has room for rows * columns numbers */
    void (*gram)(struct rows_f32 block, const float *weight, struct gram_lines lines, float *scratch, double *gram);
    void (*from_u8)(const uint8_t *from, size_t rows, size_t columns, struct rows_scale scale, float *to);
    void (*from_f32)(const float *from, size_t rows, size_t columns, struct rows_scale scale, float *to);
    void (*from_f64)(const double *from, size_t rows, size_t columns, struct rows_scale scale, float *to);
};

struct linear_f64 {
    void (*times)(struct rows_f64 block, const double *w, double *out);
    void (*back)(struct rows_f64 block, const double *r, double *gradient);
    void (*times_cached)(struct rows_f64 block, const double *w, double *out);
    void (*back_cached)(struct rows_f64 block, const double *r, double *gradient);
    void (*fused)(struct rows_f64 block, size_t before, const double *w, double *out, const double *r, double *sum);
    size_t fused_step;
    /* The same on a block of floats, converted to doubles as they are read. */
    void (*times_f32)(struct rows_f32 block, struct linear_hints aside, const double *w, double *out);
    void (*back_f32)(struct rows_f32 block, struct linear_hints aside, const double *r, double *gradient);
    void (*fused_f32)(struct rows_f32 block, size_t before, const double *w, double *out, const double *r, double *sum);
    void (*many_times)(const struct many_f64 *many, const double *w, double *out);
    void (*many_back)(const struct many_f64 *many, const double *r, double *gradient);
    /* out[c * stride + i] = sum_j x[i][j] w[j * classes + c] + bias[c]: the bits of many_times and an addition, for the
     * shapes of linear_scores_fit. The padding is filled with finite numbers where the rows have such. False: the
     * absolute values of the scores of a row have a sum above `largest`, or one that is not a number. NULL: there is
     * none. */
    bool (*scores)(const struct linear_scores *rows, double *out);
    void (*gram)(struct rows_f64 block, const double *weight, struct gram_lines lines, double *scratch, double *gram);
    void (*from_u8)(const uint8_t *from, size_t rows, size_t columns, struct rows_scale scale, double *to);
    void (*from_f32)(const float *from, size_t rows, size_t columns, struct rows_scale scale, double *to);
    void (*from_f64)(const double *from, size_t rows, size_t columns, struct rows_scale scale, double *to);
};

/* The fastest number of rows of a block, given the size of a number: a multiple of 16, at least 16. It
 * determines which sums are rounded to the type of a block, so it depends on nothing else. `classes` is 2
 * for two-class data, which has one activation a row. */
size_t linear_block_rows(size_t columns, size_t classes, size_t number_size);

/* Rows of a call of `fused`, of which each has so many bytes: so few that they stay in the first-level cache until the
 * next call. 0: a row is too long for it, and times and back are as fast. */
size_t linear_fused_rows(size_t row_bytes, size_t step);

/* Numbers of the sums of `fused`. */
size_t linear_fused_sums(size_t columns);

/* Length of the workspace for rows that are converted. */
size_t linear_wide(size_t rows, size_t columns);

/* Length of the workspace of many_times and many_back for blocks of up to `rows` rows and any subset of
 * the classes: at most (rows + classes + 32) * (columns + 48), whose overflow the caller excludes. */
size_t linear_scratch(size_t rows, size_t columns, size_t classes);

enum {
    LINEAR_FEW_COLUMNS = 256,
    LINEAR_FEW_CLASSES = 8,
    LINEAR_CHUNK = 400,          /* columns of a block that many_times packs at once, */
    LINEAR_PACKED_ROWS = 512,    /* and rows */
    LINEAR_PACKED_COLUMNS = 288, /* the same of many_back, which packs all rows */
    LINEAR_TILE = 16,            /* classes that are packed at once, at most */
};

/* Does many_times pack the weights and compute dot products? For many columns and few classes. */
static inline bool linear_as_dot(size_t columns, size_t classes)
{
    return columns / 6 >= classes;
}

/* Are the rows of `scores` short enough to be packed at once, as many_times packs them? */
static inline bool linear_scores_fit(size_t columns, size_t classes)
{
    return !linear_as_dot(columns, classes) && columns > 0 && columns <= LINEAR_CHUNK;
}

/* Few classes and short rows: a vector holds some columns of every class. */
static inline bool linear_of_few(size_t columns, size_t classes)
{
    return columns <= LINEAR_FEW_COLUMNS && classes <= LINEAR_FEW_CLASSES;
}

/* Are weights packed tile by tile, and rows for the gradient too? If the weights exceed the second-level
 * cache beside a block. */
static inline bool linear_packs_tiles(size_t columns, size_t classes)
{
    return columns >= 96 && classes >= 24 && columns >= ((size_t)1 << 17) / classes;
}

/* The references: plain C, every sum in its written order. */
extern const struct linear_f32 linear_f32_plain, linear_f32_avx2, linear_f32_avx512, linear_f32_neon,
    linear_f32_wasm128;
extern const struct linear_f64 linear_f64_plain, linear_f64_avx2, linear_f64_avx512, linear_f64_neon,
    linear_f64_wasm128;

#endif
