/* linear: a block of dense rows times weights, and residuals times the block: the hot loops of
 * training.
 *
 * Rows lie beside each other without gaps, as in the caller's array, so that nothing is copied that
 * already has the right type; what has not is converted block by block into scratch space that
 * stays in the cache. Sums within a block are in the type of the block, sums over blocks in
 * doubles. For one kernel the same block gives the same bits, wherever it lies in memory. */
#ifndef KERNEL_LINEAR_H
#define KERNEL_LINEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows of an array that is longer: what lies behind them is fetched meanwhile. */
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

/* What else is known about a block. */
struct linear_aside {
    bool cached; /* it and what lies behind it are in the cache: nothing need be fetched */
    /* Space for short rows of another type, once they are numbers of the type of the sums, or NULL:
     * aligned, of linear_wide() numbers. times leaves them there, and back, given the same rows and
     * the same space, need not make them again. */
    void *wide;
};

/* Scaling on the way: (x - offset) * factor for each column; offset NULL: as it is. */
struct rows_scale {
    const double *offset, *factor;
};

/* Activations and residuals of many classes: entry [class * stride + row], as the softmax wants
 * them; many_times makes those of the padding, up to a multiple of SOFTMAX_PAD rows, 0. Weights and
 * gradients are feature by feature: [column * classes + class]. */
struct many_f32 {
    struct rows_f32 block;
    size_t classes;
    size_t stride;  /* at least rows, rounded up to SOFTMAX_PAD */
    float *scratch; /* linear_scratch() numbers */
    /* How many classes there are in all, if these are some of more; 0: these. Activations of a
     * class have the same bits however many others are beside it, if this is the same. */
    size_t of;
};

struct many_f64 {
    struct rows_f64 block;
    size_t classes;
    size_t stride;
    double *scratch;
    size_t of;
};

/* Some lines of a Gram matrix, for one of several threads. */
struct gram_lines {
    size_t from, to;
};

struct linear_f32 {
    /* out[i] = sum_j x[i][j] w[j] */
    void (*times)(struct rows_f32 block, const float *w, float *out);
    /* gradient[j] += sum_i r[i] x[i][j] */
    void (*back)(struct rows_f32 block, const float *r, double *gradient);
    /* The same on a block that is in the cache: nothing is fetched. */
    void (*times_cached)(struct rows_f32 block, const float *w, float *out);
    void (*back_cached)(struct rows_f32 block, const float *r, double *gradient);
    /* The same on a block of bytes, which become floats as they are read: the same bits. */
    void (*times_u8)(struct rows_u8 block, struct linear_aside aside, const float *w, float *out);
    void (*back_u8)(struct rows_u8 block, struct linear_aside aside, const float *r, double *gradient);
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
    /* The same on a block of floats, which become doubles as they are read. */
    void (*times_f32)(struct rows_f32 block, struct linear_aside aside, const double *w, double *out);
    void (*back_f32)(struct rows_f32 block, struct linear_aside aside, const double *r, double *gradient);
    void (*many_times)(const struct many_f64 *many, const double *w, double *out);
    void (*many_back)(const struct many_f64 *many, const double *r, double *gradient);
    void (*gram)(struct rows_f64 block, const double *weight, struct gram_lines lines, double *scratch, double *gram);
    void (*from_u8)(const uint8_t *from, size_t rows, size_t columns, struct rows_scale scale, double *to);
    void (*from_f32)(const float *from, size_t rows, size_t columns, struct rows_scale scale, double *to);
    void (*from_f64)(const double *from, size_t rows, size_t columns, struct rows_scale scale, double *to);
};

/* The rows of a block that runs fastest, given the size of a number: a multiple of 16, at least 16.
 * It says which sums are rounded to the type of a block, so it depends on nothing else. `classes`
 * is 2 for two-class data, which has one activation a row. */
size_t linear_block_rows(size_t columns, size_t classes, size_t number_size);

/* Numbers of space for rows that are made wide. */
size_t linear_wide(size_t rows, size_t columns);

/* Numbers of scratch space that many_times and many_back want for blocks of up to so many rows, and
 * for any of the classes that there are in all. It is at most (rows + classes + 32) * (columns +
 * 48): overflow is the caller's to rule out. */
size_t linear_scratch(size_t rows, size_t columns, size_t classes);

enum {
    LINEAR_FEW_COLUMNS = 256,
    LINEAR_FEW_CLASSES = 8,
    LINEAR_CHUNK = 400,          /* columns of a block that many_times packs at once, */
    LINEAR_PACKED_ROWS = 512,    /* and rows */
    LINEAR_PACKED_COLUMNS = 288, /* the same of many_back, which packs all rows */
    LINEAR_TILE = 16,            /* classes that are packed at once, at most */
};

/* True if many_times packs the weights instead: many columns for few classes. */
static inline bool linear_as_dot(size_t columns, size_t classes)
{
    return columns / 6 >= classes;
}

/* True if columns may be spread over the lanes of few classes. */
static inline bool linear_of_few(size_t columns, size_t classes)
{
    return columns <= LINEAR_FEW_COLUMNS && classes <= LINEAR_FEW_CLASSES;
}

/* True if weights are packed tile by tile, and rows for the gradient too: there are more weights
 * than the second-level cache holds beside a block. */
static inline bool linear_packs_tiles(size_t columns, size_t classes)
{
    return columns >= 96 && classes >= 24 && columns >= ((size_t)1 << 17) / classes;
}

/* The references: plain C, every sum in its written order. */
extern const struct linear_f32 linear_f32_plain, linear_f32_avx2, linear_f32_avx512, linear_f32_neon;
extern const struct linear_f64 linear_f64_plain, linear_f64_avx2, linear_f64_avx512, linear_f64_neon;

#endif
