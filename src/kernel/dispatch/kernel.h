/* kernel: the functions of the hot loops, one table for each instruction set. */
#ifndef KERNEL_KERNEL_H
#define KERNEL_KERNEL_H

#include "kernel/dense/linear.h"
#include "kernel/loss/column_margins.h"
#include "kernel/loss/margin.h"
#include "kernel/loss/noise_sums.h"
#include "kernel/loss/probability.h"
#include "kernel/loss/residual.h"
#include "kernel/loss/softmax.h"
#include "kernel/small/cholesky_update.h"
#include "kernel/small/column_range.h"
#include "kernel/small/neighbour_lists.h"
#include "kernel/small/triangular_solve.h"
#include "kernel/sparse/sparse_products.h"

/* The fields are described in the headers that define their types. Objectives store the pointer, and call through
 * it. */
struct kernel {
    const char *name;
    margin_fn *margins;
    residual_f32_fn *residual_f32;
    residual_f64_fn *residual_f64;
    softmax_f32_fn *softmax_f32;
    softmax_f64_fn *softmax_f64;
    softmax_targets_f32_fn *softmax_targets_f32;
    softmax_targets_f64_fn *softmax_targets_f64;
    probability_fn *probabilities; /* NULL: plain, see there */
    const struct linear_f32 *linear_f32;
    const struct linear_f64 *linear_f64;
    const struct sparse_kernels *sparse;
    const struct column_margin_kernels *column_margins;
    const struct column_range_kernels *column_range;
    triangular_solve_fn *triangular_solve;
    cholesky_update_fn *cholesky_update;
    const struct noise_kernels *noise;
    neighbour_fn *neighbours;
    wave_fn *waves;
};

/* The kernels of that name; NULL if there are none or the processor does not support them. */
const struct kernel *kernel_find(const char *name);

/* The fastest that this processor supports; "plain" always is. */
const struct kernel *kernel_best(void);

/* The same as kernel_choose without a probe of the processor, which takes as long as the prediction of many rows where
 * the instruction is emulated; `best` is what kernel_best returned on this machine. */
const struct kernel *kernel_choose_known(const struct kernel *best, const char **wanted);

/* The one named by the environment variable TEMPER_KERNEL, else the fastest. Reads the environment and
 * probes the processor each time: choose once, and keep the pointer. NULL, and the name in *wanted, if it
 * is unknown or not supported here, which the caller reports. */
const struct kernel *kernel_choose(const char **wanted);

#endif
