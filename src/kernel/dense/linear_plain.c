/* linear_plain: the reference of the dense products on arrays of floats and doubles. */
#include "kernel/dense/linear.h"
#include "kernel/loss/softmax.h"

/* Columns that are summed together, so that rows are read sequentially. */
enum { PLAIN_COLUMNS = 64, FUSED_STEP = 16 };

/* Floats, with bytes as the other storage type: pixels of images are stored as bytes, and converted as they are
 * read. */
#define real        float
#define rows_type   struct rows_f32
#define many_type   struct many_f32
#define other_rows  struct rows_u8
#define PLAIN(name) name##_f32
#include "kernel/dense/linear_plain.inc.h"
#undef real
#undef rows_type
#undef many_type
#undef other_rows
#undef PLAIN

/* Doubles, with floats as the other storage type. */
#define real        double
#define rows_type   struct rows_f64
#define many_type   struct many_f64
#define other_rows  struct rows_f32
#define PLAIN(name) name##_f64
#include "kernel/dense/linear_plain.inc.h"

/* Floats in front of a block, summed in doubles. */
static void fused_other_f64(struct rows_f32 block, size_t before, const double *w, double *out, const double *r,
                            double *sum)
{
    const float *x = block.x - before * block.columns;
    for (size_t i = 0; i < before; i++)
        for (size_t j = 0; j < block.columns; j++)
            sum[j] += r[i] * (double)x[i * block.columns + j];
    times_other_f64(block, (struct linear_hints){0}, w, out);
}

/* The plain versions have no variants for cached blocks: prefetching is their only difference. */
const struct linear_f32 linear_f32_plain = {
    .times = times_f32,
    .back = back_f32,
    .times_cached = times_f32,
    .back_cached = back_f32,
    .fused = fused_f32,
    .fused_step = FUSED_STEP,
    .times_u8 = times_other_f32,
    .back_u8 = back_other_f32,
    .many_times = many_times_f32,
    .many_back = many_back_f32,
    .gram = gram_f32,
    .from_u8 = from_u8_f32,
    .from_f32 = from_f32_f32,
    .from_f64 = from_f64_f32,
};

const struct linear_f64 linear_f64_plain = {
    .times = times_f64,
    .back = back_f64,
    .times_cached = times_f64,
    .back_cached = back_f64,
    .fused = fused_f64,
    .fused_step = FUSED_STEP,
    .fused_f32 = fused_other_f64,
    .times_f32 = times_other_f64,
    .back_f32 = back_other_f64,
    .many_times = many_times_f64,
    .many_back = many_back_f64,
    .gram = gram_f64,
    .from_u8 = from_u8_f64,
    .from_f32 = from_f32_f64,
    .from_f64 = from_f64_f64,
};
