/* softmax_plain: the reference, one row at a time in doubles, by the formulas of docs/math.md.
 *
 * The including file defines `real`, the type of the arrays, and `block_type`. */
#include <math.h>

#include "kernel/loss/softmax.h"
#include "tempered/tempered_functions.h"

/* One row of the block: class c is at [c * stride]. */
struct plain_row {
    const real *a;
    size_t classes, stride;
    double t, max;
};

static double gap(const struct plain_row *row, size_t c)
{
    return row->max - (double)row->a[c * row->stride];
}

/* log p_c at lambda: L(-(b_c + lambda), 1 - t). */
static double log_p(const struct plain_row *row, size_t c, double lambda)
{
    return stretch_log(-(gap(row, c) + lambda), 1 - row->t);
}

/* p_c^t; nothing outside the support, at t = 0 too. */
static double power_p(const struct plain_row *row, size_t c, double lambda)
{
    double y = log_p(row, c, lambda);
    return y == -INFINITY ? 0 : exp(row->t * y);
}

/* S = sum p_c and T = -dS/dlambda = sum p_c^t. */
static void sums(const struct plain_row *row, double lambda, double *sum, double *slope)
{
    *sum = *slope = 0;
    for (size_t c = 0; c < row->classes; c++) {
        *sum += exp(log_p(row, c, lambda));
        *slope += power_p(row, c, lambda);
    }
}

/* NaN if any activation is not finite. */
static double largest(const struct plain_row *row)
{
    double max = -INFINITY, poison = 0;
    for (size_t c = 0; c < row->classes; c++) {
        double a = (double)row->a[c * row->stride];
        max = fmax(max, a);
        poison += a - a;
    }
    return max + poison;
}

/* Newton's method on S^(1-t) from below, to the first step that no longer rises. */
static double solve(const struct plain_row *row)
{
    double sum = 0, slope = 0, lambda = 0, s = row->t - 1;
    for (size_t c = 0; c < row->classes; c++)
        sum += gap(row, c) / (double)row->classes;
    lambda = fmax(0, stretch_exp(log((double)row->classes), s) - sum);
    for (;;) {
        sums(row, lambda, &sum, &slope);
        double next = lambda + stretch_exp(log(sum), s) * sum / slope;
        if (!(next > lambda) || !(sum > 1 + 1e-15))
            return lambda;
        lambda = next;
    }
}

static double plain_gradient(const struct plain_row *row, size_t label, double t1, double lambda, real *gradient)
{
    double sum, slope, log_label = log_p(row, label, lambda);
    sums(row, lambda, &sum, &slope);
    double factor = log_label == -INFINITY ? 0 : exp((row->t - t1) * log_label);
    for (size_t c = 0; c < row->classes; c++) {
        double escort = power_p(row, c, lambda) / slope;
        gradient[c * row->stride] = (real)(factor * (c == label ? escort - 1 : escort));
    }
    return -stretch_exp(log_label, 1 - t1);
}

static void plain_block(const block_type *block)
{
    const struct softmax_shape *shape = &block->shape;
    for (size_t i = 0; i < shape->rows; i++) {
        struct plain_row row = {block->activation + i, shape->classes, shape->stride, shape->t2, 0};
        row.max = largest(&row);
        double lambda = isnan(row.max) ? NAN : solve(&row);
        block->loss[i] = (real)plain_gradient(&row, block->label[i], shape->t1, lambda, block->gradient + i);
        if (block->lambda)
            block->lambda[i] = (real)lambda;
    }
}
