/* linear_body: the hot loops of linear.h on vectors; included by the file of each instruction set.
 */
#include "kernel/linear_simd.h"

enum {
    TIMES_ROWS = LANES > 8 ? LANES : 8, /* rows that share the loads of w */
    BACK_ROWS = 8,                      /* rows that share a load and a store of the sums */
    BACK_COLUMNS = 1024,                /* sums that stay in the first-level cache with the rows */
    NARROW_ROWS = 2,                    /* sums of a column, if they stay in registers */
    NARROW_VECTORS = 4,                 /* how long rows may be for that */
    LINE = 64,                          /* bytes of the cache */
};

#define stored      real
#define stored_rows rows_type
#define LOAD        vec_load
#define LOAD_PART   vec_load_part
#define TWO(name)   name
#include "kernel/linear_two.h"

#ifdef SIMD_F32
#define stored      uint8_t
#define stored_rows struct rows_u8
#define LOAD        vec_widen
#define LOAD_PART   vec_widen_part
#define TWO(name)   name##_u8
#include "kernel/linear_two.h"
#define LINEAR_WIDENING .times_u8 = linear_times_u8, .back_u8 = linear_back_u8,
#else
#define stored      float
#define stored_rows struct rows_f32
#define LOAD        vec_widen
#define LOAD_PART   vec_widen_part
#define TWO(name)   name##_f32
#include "kernel/linear_two.h"
#define LINEAR_WIDENING .times_f32 = linear_times_f32, .back_f32 = linear_back_f32,
#endif

/* ---- Other types, and scaling
 * --------------------------------------------------------------------- */

/* As the reference does it, in doubles: the compiler's own vectors are as good as ours, and every
 * kernel gives the same bits. */
#define CONVERSION(name, type)                                                                     \
    static void name(const type *restrict from, size_t rows, size_t columns,                       \
                     struct rows_scale scale, real *restrict to)                                   \
    {                                                                                              \
        const double *restrict offset = scale.offset, *restrict factor = scale.factor;             \
        if (!offset)                                                                               \
            for (size_t k = 0; k < rows * columns; k++)                                            \
                to[k] = (real)from[k];                                                             \
        else                                                                                       \
            for (size_t i = 0; i < rows; i++, from += columns, to += columns)                      \
                for (size_t j = 0; j < columns; j++)                                               \
                    to[j] = (real)(((double)from[j] - offset[j]) * factor[j]);                     \
    }

CONVERSION(linear_from_u8, uint8_t)
CONVERSION(linear_from_f32, float)
CONVERSION(linear_from_f64, double)

#include "kernel/linear_many.h"

/* The table of these functions. */
#define LINEAR_TABLE                                                                               \
    {                                                                                              \
        LINEAR_WIDENING.times = linear_times,                                                      \
        .back = linear_back,                                                                       \
        .many_times = linear_many_times,                                                           \
        .many_back = linear_many_back,                                                             \
        .gram = linear_gram,                                                                       \
        .from_u8 = linear_from_u8,                                                                 \
        .from_f32 = linear_from_f32,                                                               \
        .from_f64 = linear_from_f64,                                                               \
    }
