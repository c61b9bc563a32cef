/* softmax_plain: one row at a time in doubles, by the formulas of docs/math.md.
 *
 * The including file defines `real`, the type of the arrays, `block_type`, `target_type`, and PLAIN, which makes names
 * distinct. */

/* One row of the block: class c is at [c * stride]. */
struct PLAIN(row) {
    const real *a;
    size_t classes, stride;
    double t, max;
};

static double PLAIN(gap)(const struct PLAIN(row) * row, size_t c)
{
    return row->max - (double)row->a[c * row->stride];
}

/* log p_c at lambda: L(-(b_c + lambda), 1 - t). */
static double PLAIN(log_p)(const struct PLAIN(row) * row, size_t c, double lambda)
{
    return stretch_log(-(PLAIN(gap)(row, c) + lambda), 1 - row->t);
}

/* p_c^t; 0 outside the support, also at t = 0. */
static double PLAIN(power_p)(const struct PLAIN(row) * row, size_t c, double lambda)
{
    double y = PLAIN(log_p)(row, c, lambda);
    return y == -INFINITY ? 0 : exp(row->t * y);
}

/* S = sum p_c and T = -dS/dlambda = sum p_c^t. */
static void PLAIN(sums)(const struct PLAIN(row) * row, double lambda, double *sum, double *slope)
{
    *sum = *slope = 0;
    for (size_t c = 0; c < row->classes; c++) {
        *sum += exp(PLAIN(log_p)(row, c, lambda));
        *slope += PLAIN(power_p)(row, c, lambda);
    }
}

/* NaN if any activation is not finite. */
static double PLAIN(largest)(const struct PLAIN(row) * row)
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
static double PLAIN(solve)(const struct PLAIN(row) * row)
{
    double sum = 0, slope = 0, lambda = 0, s = row->t - 1;
    for (size_t c = 0; c < row->classes; c++)
        sum += PLAIN(gap)(row, c) / (double)row->classes;
    lambda = fmax(0, stretch_exp(log((double)row->classes), s) - sum);
    for (;;) {
        PLAIN(sums)(row, lambda, &sum, &slope);
        double next = lambda + stretch_exp(log(sum), s) * sum / slope;
        if (!(next > lambda) || !(sum > 1 + 1e-15))
            return lambda;
        lambda = next;
    }
}

/* The gradient (eq. 14), class by class; returns the loss. */
static double PLAIN(gradient)(const struct PLAIN(row) * row, size_t label, double t1, double lambda, real *gradient)
{
    double sum, slope, log_label = PLAIN(log_p)(row, label, lambda);
    PLAIN(sums)(row, lambda, &sum, &slope);
    double factor = log_label == -INFINITY ? 0 : exp((row->t - t1) * log_label);
    for (size_t c = 0; c < row->classes; c++) {
        double escort = PLAIN(power_p)(row, c, lambda) / slope;
        gradient[c * row->stride] = (real)(factor * (c == label ? escort - 1 : escort));
    }
    return -stretch_exp(log_label, 1 - t1);
}

static void PLAIN(block)(const block_type *block)
{
    const struct softmax_shape *shape = &block->shape;
    for (size_t i = 0; i < shape->rows; i++) {
        struct PLAIN(row) row = {block->activation + i, shape->classes, shape->stride, shape->t2, 0};
        row.max = PLAIN(largest)(&row);
        double lambda = isnan(row.max) ? NAN : PLAIN(solve)(&row);
        block->loss[i] = (real)PLAIN(gradient)(&row, block->label[i], shape->t1, lambda, block->gradient + i);
        if (block->lambda)
            block->lambda[i] = (real)lambda;
    }
}

/* ---- Labels that are distributions --------------------------------------------------------------- */

/* The loss of row i at lambda; its pulls replace its target. */
static double PLAIN(pulls)(const target_type *rows, const struct PLAIN(row) * row, size_t i, double lambda, double *sum)
{
    const struct softmax_shape *shape = &rows->block.shape;
    const uint32_t *label = rows->block.label;
    const temper_loss_spec spec = {
        .method = rows->bregman ? TEMPER_BREGMAN : TEMPER_TEMPERED, .t1 = shape->t1, .t2 = shape->t2};
    double loss = 0;
    *sum = 0;
    for (size_t c = 0; c < row->classes; c++) {
        real *target = rows->target + c * row->stride + i;
        double y = label ? c == label[i] : (double)*target;
        struct target_term term = target_term(spec, PLAIN(log_p)(row, c, lambda), y);
        loss += term.loss;
        *sum += term.pull;
        *target = (real)term.pull;
    }
    return loss;
}

/* Loss and gradient of each row: q_c sum(pull) - pull_c, or its negative. */
static void PLAIN(targets)(const target_type *rows)
{
    const block_type *block = &rows->block;
    const struct softmax_shape *shape = &block->shape;
    for (size_t i = 0; i < shape->rows; i++) {
        struct PLAIN(row) row = {block->activation + i, shape->classes, shape->stride, shape->t2, 0};
        row.max = PLAIN(largest)(&row);
        double lambda = isnan(row.max) ? NAN : PLAIN(solve)(&row), sum, slope, pulls;
        block->loss[i] = (real)PLAIN(pulls)(rows, &row, i, lambda, &pulls);
        PLAIN(sums)(&row, lambda, &sum, &slope);
        for (size_t c = 0; c < row.classes; c++) {
            double pull = (double)rows->target[c * row.stride + i];
            double gradient = PLAIN(power_p)(&row, c, lambda) / slope * pulls - pull;
            block->gradient[c * row.stride + i] = (real)(rows->bregman ? -gradient : gradient);
        }
    }
}
