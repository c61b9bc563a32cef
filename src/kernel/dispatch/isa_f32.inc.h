/* isa_f32: the kernels on vectors of floats of one instruction set; the including file defines SET. */
#define SIMD_F32
#include "kernel/dense/linear.inc.h"
#include "kernel/loss/probability_f32.inc.h"
#include "kernel/loss/residual_f32.inc.h"
#include "kernel/loss/softmax.inc.h"
#include "kernel/loss/softmax_targets.inc.h"
#include "kernel/small/neighbour_lists.inc.h"
#include "kernel/sparse/sparse_products_f32.inc.h"
#if defined(__AVX512F__) || defined(__AVX2__)
#include "kernel/sparse/sparse_sell16.inc.h"
#endif

/* Losses in floats where the error bound permits it; otherwise the activations are converted, and the kernel of
 * doubles is called, which is in the other file of the set. */
BINARY_PASS void SET(residual_f32)(const struct residual_rows *rows, float *activation, struct residual_sums *sums)
{
    if (residual_in_floats(rows))
        residual_floats(rows, activation, sums, SET(margins));
    else
        SET(residual_f32_fine)(rows, activation, sums);
}

/* External names: the templates define static functions, whose names are the same for every set. */
void SET(softmax_f32)(const struct softmax_f32 *block)
{
    softmax_run(block);
}

void SET(softmax_targets_f32)(const struct softmax_targets_f32 *rows)
{
    softmax_targets_run(rows);
}

void SET(probabilities_f32)(const struct probability_rows *rows)
{
    probabilities_floats(rows);
}

void SET(sparse_floats)(struct sparse_rows rows, size_t width, const float *w, double *out)
{
    sparse_floats(rows, width, w, out);
}

void SET(neighbours)(const struct neighbour_lists *lists, const struct neighbour_points *points)
{
    neighbours_run(lists, points);
}

void SET(waves)(float *turns, size_t n, float size)
{
    waves_run(turns, n, size);
}

const struct linear_f32 SET(linear_f32) = LINEAR_TABLE;
