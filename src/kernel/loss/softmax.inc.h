/* softmax: the tempered softmax on vectors (docs/math.md, section 11).
 *
 * For t2 > 1: a few Halley steps in low precision, then full precision until |S - 1| is small, then one
 * third-order correction of lambda, p and p^t2, which needs no further exponential. */
#ifndef KERNEL_SOFTMAX_INC_H
#define KERNEL_SOFTMAX_INC_H

#include "kernel/loss/softmax_sums.inc.h"

/* E(log S, s) = (S^s - 1)/s. */
HOT vec stretched_sum(const struct class_sums *sum, real s)
{
    vec log_sum = vec_log1p(sum->p - 1);
    return vec_stretch_exp_with(log_sum, vec_exp(log_sum * s), s);
}

/* The same, rough: where S^s is near 1 by its series, else by the difference. */
HOT vec rough_stretched_sum(const struct class_sums *sum, real s)
{
    static const real series[] = {(real)(1.0 / 24), (real)(1.0 / 6), (real)0.5, 1};
    vec log2_sum = rough_log2(sum->p), log_sum = log2_sum * (real)0.6931471805599453;
    vec z = log_sum * s, near = log_sum * polynomial(z, series, COUNT(series));
    vec top = vec_all((real)(EXP_OVERFLOW * 1.44)), far = rough_exp2(vec_min(log2_sum * s, top)) - 1;
    return vec_select(vec_abs(z) < (real)0.5, near, far * (1 / s));
}

/* lambda after a step; never below 0, in case the start was above the root. (vec_max takes the 0,
 * its second argument, also where the sums have underflowed and the step is NaN.) */
HOT vec newton_next(const struct lanes *lanes, const struct class_sums *sum, vec lambda)
{
    vec step = stretched_sum(sum, lanes->s) * sum->p * vec_reciprocal(sum->first);
    return vec_max(lambda + step, vec_all(0));
}

/* Newton's step on F = S^(-s), `stretched` being E(log S, s), made one of Halley's method: F''/F' =
 * (1+s)(T/S - Q/T) <= 0 lengthens it, and convergence is of third order. The step is at most doubled, since far
 * from the root the parabola is a poor approximation. */
HOT vec halley_next(const struct lanes *lanes, const struct class_sums *sum, vec stretched, vec lambda)
{
    vec per_slope = vec_reciprocal(sum->first), step = stretched * sum->p * per_slope;
    vec curve = sum->first * vec_reciprocal(sum->p) - sum->second * per_slope;
    vec shrink = vec_fma(step * curve, vec_all((1 + lanes->s) / 2), vec_all(1));
    vec longer = vec_min(vec_reciprocal(vec_max(shrink, vec_all((real)0.5))), vec_all(2));
    return vec_max(vec_fma(step, longer, lambda), vec_all(0));
}

/* Lanes that need another step. */
HOT ivec farther(vec sum, real distance)
{
    return vec_abs(sum - 1) > distance; /* false for NaN, which more steps cannot repair */
}

/* Has the iteration failed? S is too far from 1, or NaN. */
HOT ivec not_solved(vec sum)
{
    return ~(vec_abs(sum - 1) <= (real)CLOSE_ENOUGH);
}

/* A solution: lambda, its distance from the lambda at which the output was computed, Z = sum p^t2. */
struct solution {
    vec lambda, offset, normaliser;
    ivec failed;
};

/* A step in low precision; true if it started so far away that another is needed. */
HOT bool rough_step(const struct lanes *lanes, vec *lambda, bool sparse)
{
    struct class_sums sum = rough_sums(lanes, *lambda, sparse);
    *lambda = halley_next(lanes, &sum, rough_stretched_sum(&sum, lanes->s), *lambda);
    return vec_any(farther(sum.p, (real)ROUGH_ENOUGH));
}

/* The root of S(lambda + d) = 1 to third order in the excess e = S - 1, and Z there:
 * S(d) = S - T d + A d^2 - B d^3, A = (1+s)/2 sum p/u^2, B = (1+s)(1+2s)/6 sum p/u^3. */
HOT struct solution correct(const struct class_sums *sum, vec lambda, real s)
{
    vec per_slope = vec_reciprocal(sum->first), e = (sum->p - 1) * per_slope;
    vec curve = sum->second * ((1 + s) / 2), twist = sum->third * ((1 + s) * (1 + 2 * s) / 6);
    vec quadratic = curve * per_slope;
    vec cubic = 2 * quadratic * quadratic - twist * per_slope;
    vec offset = e * vec_fma(e, vec_fma(e, cubic, quadratic), vec_all(1));
    return (struct solution){
        .lambda = lambda + offset,
        .offset = offset,
        .normaliser = vec_fma(offset, vec_fma(offset, 3 * twist, -2 * curve), sum->first),
        .failed = not_solved(sum->p),
    };
}

/* t2 > 1: Halley steps in full precision until |S - 1| is small in every lane, then the correction of third order.
 * Lanes that have converged take part in further steps, which do not change them much. */
HOT struct solution solve_hot(const struct lanes *lanes, vec lambda)
{
    struct class_sums sum = full_sums(lanes, lambda, false);
    for (int step = 0; step < MOST_STEPS && vec_any(farther(sum.p, (real)CLOSE_ENOUGH)); step++) {
        lambda = halley_next(lanes, &sum, stretched_sum(&sum, lanes->s), lambda);
        sum = full_sums(lanes, lambda, false);
    }
    return correct(&sum, lambda, lanes->s);
}

/* t2 < 1: near the edge of support no series converges, so steps continue until the sum is 1 up to rounding, at most
 * two after it is close. Halley's method may go beyond the root where a class enters the support; should that repeat,
 * Newton's method, which does not, takes over. */
HOT struct solution solve_sparse(const struct lanes *lanes, vec lambda)
{
    enum { HALLEY_STEPS = 6 };
    struct class_sums sum = full_sums(lanes, lambda, true);
    for (int step = 0, more = 2; step < MOST_STEPS && more > 0 && vec_any(farther(sum.p, (real)SOLVED)); step++) {
        more -= !vec_any(farther(sum.p, (real)CLOSE_ENOUGH));
        if (step < HALLEY_STEPS)
            lambda = halley_next(lanes, &sum, stretched_sum(&sum, lanes->s), lambda);
        else
            lambda = newton_next(lanes, &sum, lambda);
        sum = full_sums(lanes, lambda, true);
    }
    return (struct solution){
        .lambda = lambda,
        .offset = vec_all(0),
        .normaliser = sum.first,
        .failed = not_solved(sum.p),
    };
}

/* t2 = 1: log-sum-exp, and no search. */
HOT struct solution solve_softmax(const struct lanes *lanes)
{
    vec sum = vec_all(0);
    for (size_t c = 0; c < lanes->classes; c++) {
        vec p = vec_exp_negative(vec_load(lanes->a + c * lanes->stride) - lanes->max);
        sum += p;
        vec_store(lanes->out + c * lanes->stride, p);
    }
    return (struct solution){
        .lambda = log_normal(sum),
        .offset = vec_all(0),
        .normaliser = sum,
        .failed = ivec_all(0),
    };
}

/* Converts p_c^t2 at lambda - offset to scale * p_c^t2 at lambda: its factor is
 * (1 + s x)^(-(1+s)/s), x = offset/u, and x is small. */
HOT void finish_hot(const struct lanes *lanes, const struct solution *solution, vec scale)
{
    const real s = lanes->s;
    const vec third = scale * (-(1 + s) * (1 + 2 * s) * (1 + 3 * s) / 6);
    const vec second = scale * ((1 + s) * (1 + 2 * s) / 2), first = scale * -(1 + s);
    vec one_and_shift = 1 + (solution->lambda - solution->offset) * s;
    for (size_t c = 0; c < lanes->classes; c++) {
        real *out = lanes->out + c * lanes->stride;
#ifdef SIMD_F32
        vec u = stretched_gap(lanes, c, one_and_shift);
        vec x = solution->offset * vec_reciprocal_rough(u);
#else
        vec u = stretched_gap_in_range(lanes, c, one_and_shift);
        vec x = solution->offset * vec_reciprocal(u);
#endif
        vec factor = vec_fma(x, vec_fma(x, vec_fma(x, third, second), first), scale);
        vec_store(out, vec_load(out) * factor);
    }
}

/* The output only needs the scale. */
HOT void finish_exact(const struct lanes *lanes, vec scale)
{
    for (size_t c = 0; c < lanes->classes; c++) {
        real *out = lanes->out + c * lanes->stride;
        vec_store(out, vec_load(out) * scale);
    }
}

/* log p of each row's label. */
HOT vec label_log_p(const struct lanes *lanes, vec a_label, vec lambda)
{
    vec distance = lanes->max - a_label + lambda;
    if (lanes->s == 0)
        return -distance;
    vec z = distance * lanes->s, u = vec_max(1 + z, vec_all((real)1e-30));
    vec log_p = vec_log1p_with(z, u, vec_reciprocal(u)) * (-1 / lanes->s);
    return vec_select(z > -1, log_p, vec_all((real)-__builtin_inf()));
}

/* The labels of a vector of rows; rows past the end take class 0. */
HOT ivec load_labels(const softmax_block *block, size_t first)
{
    typedef uint32_t label_vec __attribute__((vector_size(LANES * sizeof(uint32_t))));
    uint32_t some[LANES] = {0};
    const uint32_t *from = block->label + first;
    label_vec labels;
    if (block->shape.rows - first < LANES)
        from = memcpy(some, from, (block->shape.rows - first) * sizeof *some);
    memcpy(&labels, from, sizeof labels);
    return __builtin_convertvector(labels, ivec);
}

/* Up to this number of classes a comparison with each is cheaper than scalar gathers. */
enum { FEW_CLASSES = 32 };

/* The activations of the labels. */
HOT vec gather_labels(const struct lanes *lanes, ivec labels)
{
    vec found = vec_all(0);
    if (lanes->classes > FEW_CLASSES) {
        for (int lane = 0; lane < LANES; lane++)
            found[lane] = lanes->a[(size_t)labels[lane] * lanes->stride + (size_t)lane];
        return found;
    }
    for (size_t c = 0; c < lanes->classes; c++)
        found = vec_select(labels == (whole)c, vec_load(lanes->a + c * lanes->stride), found);
    return found;
}

/* Takes `amount` from the gradient of each label: q_c becomes q_c - [c = y]. */
HOT void subtract_at_labels(const struct lanes *lanes, ivec labels, vec amount)
{
    if (lanes->classes > FEW_CLASSES) {
        for (int lane = 0; lane < LANES; lane++)
            lanes->out[(size_t)labels[lane] * lanes->stride + (size_t)lane] -= amount[lane];
        return;
    }
    for (size_t c = 0; c < lanes->classes; c++) {
        real *out = lanes->out + c * lanes->stride;
        vec_store(out, vec_load(out) - (vec)((ivec)amount & (labels == (whole)c)));
    }
}

/* -log_t1 p, and the factor p^(t2-t1) of the gradient, which is 0 outside the support. */
HOT vec label_loss(const struct softmax_shape *shape, vec log_p, vec *factor)
{
    real gap = (real)(shape->t2 - shape->t1), s = (real)(1 - shape->t1);
    ivec inside = log_p > (real)-__builtin_inf();
    *factor = gap == 0 ? vec_all(1) : vec_exp(log_p * gap);
    *factor = (vec)((ivec)*factor & inside);
    return s == 0 ? -log_p : -vec_stretch_exp_with(log_p, vec_exp(log_p * s), s);
}

/* The solver for the temperature; the output receives p_c^t2, not yet normalised. */
HOT struct solution solve_lanes(const struct lanes *lanes, vec lambda)
{
    if (lanes->s == 0)
        return solve_softmax(lanes);
    return lanes->s < 0 ? solve_sparse(lanes, lambda) : solve_hot(lanes, lambda);
}

/* Loss and lambda of the rows that exist; the lanes after the last row are dropped. */
HOT void store_rows(const softmax_block *block, size_t first, vec loss, vec lambda)
{
    real values[LANES];
    size_t left = block->shape.rows - first, rows = left < LANES ? left : LANES;
    vec_store(values, loss);
    memcpy(block->loss + first, values, rows * sizeof *values);
    vec_store(values, lambda);
    if (block->lambda)
        memcpy(block->lambda + first, values, rows * sizeof *values);
}

/* A vector of rows between the steps of softmax_run. */
struct rows_in_progress {
    struct lanes lanes;
    vec lambda; /* the current iterate */
    bool rough; /* needs steps in low precision */
    struct solution solution;
    vec poison; /* 0, or NaN where an activation is not finite */
    vec factor; /* of the gradient */
};

/* Reads the activations of a vector of rows: their maximum, and a lower bound of lambda as the start. A lambda of
 * the caller, from the last evaluation, is usually closer, so that steps in low precision are not needed. */
HOT void begin_rows(const softmax_block *block, size_t first, struct start start, struct rows_in_progress *passage)
{
    const struct softmax_shape *shape = &block->shape;
    struct activation_summary summary = summarise_lanes(block->activation + first, shape->classes, shape->stride);
    passage->lanes = (struct lanes){
        .a = block->activation + first,
        .out = block->gradient + first,
        .classes = shape->classes,
        .stride = shape->stride,
        .s = (real)(shape->t2 - 1),
        .max = summary.max,
        .power = start.power,
        .power_floor = start.power_floor,
    };
    passage->poison = summary.mean - summary.mean;
    passage->lambda = first_guess(&summary, start);
    if (block->lambda)
        passage->lambda = vec_max(vec_load(block->lambda + first), passage->lambda);
    passage->rough = passage->lanes.s != 0 && passage->lanes.power == 0 && !block->lambda;
}

/* Steps in low precision until few in full precision remain. */
HOT void approach(struct rows_in_progress *passage, size_t count)
{
    enum { ROUGH_STEPS = 12 };
    const bool sparse = passage->lanes.s < 0;
    bool more = true;
    for (int step = 0; step < ROUGH_STEPS && more; step++) {
        more = false;
        for (size_t k = 0; k < count; k++) {
            if (passage[k].rough)
                passage[k].rough = rough_step(&passage[k].lanes, &passage[k].lambda, sparse);
            more = more || passage[k].rough;
        }
    }
}

/* The loss of the label, NaN where the solver failed or an activation is not finite. */
HOT void store_losses(const softmax_block *block, size_t first, struct rows_in_progress *passage)
{
    const struct lanes *lanes = &passage->lanes;
    const struct solution *solution = &passage->solution;
    vec a_label = gather_labels(lanes, load_labels(block, first));
    vec log_p = label_log_p(lanes, a_label, solution->lambda);
    vec loss = label_loss(&block->shape, log_p, &passage->factor) + passage->poison;
    loss = vec_select(solution->failed, vec_all((real)__builtin_nan("")), loss);
    store_rows(block, first, loss, solution->lambda);
}

/* The gradient p_y^(t2-t1) (q_c - [c = y]), q_c = p_c^t2/Z, in place of p_c^t2. */
HOT void finish_rows(const softmax_block *block, size_t first, const struct rows_in_progress *passage)
{
    const struct lanes *lanes = &passage->lanes;
    const struct solution *solution = &passage->solution;
    vec scale = passage->factor * vec_reciprocal(solution->normaliser);
    if (lanes->s > 0)
        finish_hot(lanes, solution, scale);
    else
        finish_exact(lanes, scale);
    subtract_at_labels(lanes, load_labels(block, first), passage->factor);
}

enum { AT_ONCE = 8 };

/* Solves for some vectors of rows, at most AT_ONCE. Each step is done for all of them before the next step: it has a
 * long chain of dependent operations, and out-of-order execution does not reach far beyond one vector. */
HOT void solve_group(const softmax_block *block, size_t from, size_t count, struct start start,
                     struct rows_in_progress *passage)
{
    for (size_t k = 0; k < count; k++)
        begin_rows(block, from + k * LANES, start, &passage[k]);
    approach(passage, count);
    for (size_t k = 0; k < count; k++)
        passage[k].solution = solve_lanes(&passage[k].lanes, passage[k].lambda);
}

/* How many vectors of a block have not been done, and at most AT_ONCE. */
HOT size_t next_group(const softmax_block *block, size_t done)
{
    const size_t left = (block->shape.rows + LANES - 1) / LANES - done;
    return left < AT_ONCE ? left : AT_ONCE;
}

HOT void softmax_run(const softmax_block *block)
{
    struct rows_in_progress passage[AT_ONCE];
    const struct start start = start_of(&block->shape);
    for (size_t done = 0, count; (count = next_group(block, done)) > 0; done += count) {
        const size_t from = done * LANES;
        solve_group(block, from, count, start, passage);
        for (size_t k = 0; k < count; k++)
            store_losses(block, from + k * LANES, &passage[k]);
        for (size_t k = 0; k < count; k++)
            finish_rows(block, from + k * LANES, &passage[k]);
    }
}

#endif
