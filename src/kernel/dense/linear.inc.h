/* linear: the products of linear.h on vectors of one instruction set. */
#include "kernel/dense/linear_simd.h"

/* Longest rows, in vectors, whose sums or weights stay in registers. */
#if defined(__AVX2__) && !defined(__AVX512F__)
#define NARROW 4
#else
#define NARROW 8
#endif

enum {
    TIMES_ROWS = LANES > 8 ? LANES : 8, /* rows that share the loads of w */
    BACK_ROWS = 8,                      /* rows that share a load and a store of the sums */
    BACK_COLUMNS = 1024,                /* sums that stay in the first-level cache with the rows */
    NARROW_ROWS = 2,                    /* sums of a column, if they stay in registers */
    NARROW_VECTORS = NARROW,
    FUSED_STEP = SIMD_BYTES > 32 ? 32 : 16, /* rows whose losses are computed together */
    LINE = 64,                              /* bytes of the cache */
};

/* What is prefetched during a product, and whether its address advances. */
struct fetching {
    const char *next;
    bool moves;
};

#define FUSES
#define WIDENS      0
#define stored      real
#define stored_rows rows_type
#define LOAD        vec_load
#define LOAD_PART   vec_load_part
#define TWO(name)   name
#include "kernel/dense/linear_binary.inc.h"

/* The table entries for data in the type of the sums: `hints` are constants, so that the inlined loops have no
 * branches on them. */
BINARY_PASS static void linear_times(rows_type block, const real *w, real *out)
{
    times_any(block, (struct linear_hints){0}, w, out);
}

BINARY_PASS static void linear_back(rows_type block, const real *r, double *gradient)
{
    back_any(block, (struct linear_hints){0}, r, gradient);
}

BINARY_PASS static void linear_times_cached(rows_type block, const real *w, real *out)
{
    times_any(block, (struct linear_hints){.cached = true}, w, out);
}

BINARY_PASS static void linear_back_cached(rows_type block, const real *r, double *gradient)
{
    back_any(block, (struct linear_hints){.cached = true}, r, gradient);
}

/* The same template for data of a narrower type, converted as it is loaded: half or a quarter of the memory
 * traffic. */
#ifdef SIMD_F32
#define WIDENS      1
#define stored      uint8_t
#define stored_rows struct rows_u8
#define LOAD        vec_widen
#define LOAD_PART   vec_widen_part
#define TWO(name)   name##_u8
#include "kernel/dense/linear_binary.inc.h"
#define LINEAR_WIDENING .times_u8 = times_any_u8, .back_u8 = back_any_u8,
#else
#define FUSES
#define WIDENS      1
#define stored      float
#define stored_rows struct rows_f32
#define LOAD        vec_widen
#define LOAD_PART   vec_widen_part
#define TWO(name)   name##_f32
#include "kernel/dense/linear_binary.inc.h"
#define LINEAR_WIDENING .times_f32 = times_any_f32, .back_f32 = back_any_f32, .fused_f32 = fused_any_f32,
#endif

/* ---- Conversion and scaling   ---------------------------------------------------------------------- */

/* As in the reference, in doubles: the compiler vectorises these loops, and every kernel gives the same
 * bits. */
#define CONVERSION(name, type)                                                                                         \
    static void name(const type *restrict from, size_t rows, size_t columns, struct rows_scale scale,                  \
                     real *restrict to)                                                                                \
    {                                                                                                                  \
        const double *restrict offset = scale.offset, *restrict factor = scale.factor;                                 \
        if (!offset)                                                                                                   \
            for (size_t k = 0; k < rows * columns; k++)                                                                \
                to[k] = (real)from[k];                                                                                 \
        else                                                                                                           \
            for (size_t i = 0; i < rows; i++, from += columns, to += columns)                                          \
                for (size_t j = 0; j < columns; j++)                                                                   \
                    to[j] = (real)(((double)from[j] - offset[j]) * factor[j]);                                         \
    }

CONVERSION(linear_from_u8, uint8_t)
CONVERSION(linear_from_f32, float)
CONVERSION(linear_from_f64, double)

#include "kernel/dense/linear_multiclass.inc.h"
#ifdef SIMD_F64
#include "kernel/dense/linear_scores.inc.h"
#define LINEAR_SCORES .scores = linear_scores,
#else
#define LINEAR_SCORES
#endif

/* The table of these functions. */
#define LINEAR_TABLE                                                                                                   \
    {                                                                                                                  \
        LINEAR_WIDENING LINEAR_SCORES.times = linear_times,                                                            \
        .back = linear_back,                                                                                           \
        .times_cached = linear_times_cached,                                                                           \
        .back_cached = linear_back_cached,                                                                             \
        .fused = fused_any,                                                                                            \
        .fused_step = FUSED_STEP,                                                                                      \
        .many_times = linear_many_times,                                                                               \
        .many_back = linear_many_back,                                                                                 \
        .gram = linear_gram,                                                                                           \
        .from_u8 = linear_from_u8,                                                                                     \
        .from_f32 = linear_from_f32,                                                                                   \
        .from_f64 = linear_from_f64,                                                                                   \
    }
