/* softmax_targets: the losses of target_losses.h on vectors, with the solver of softmax.inc.h, which is included
 * before.
 *
 * At the solution lambda one pass over the classes computes log p, the terms of the loss and the pulls, which replace
 * the targets; a second pass makes the gradient of them. With u = 1 + s(b + lambda), p^(t2-1) is 1/u, so that no power
 * of p other than 1 - t1 or 2 - t1 needs an exponential. */
#ifdef SIMD_F32
typedef struct softmax_targets_f32 targets_block;
#define LEAST_NORMAL 1.17549435e-38f
#else
typedef struct softmax_targets_f64 targets_block;
#define LEAST_NORMAL 2.2250738585072014e-308
#endif

/* A class of LANES rows. */
struct class_point {
    vec log_p;   /* -infinity outside the support */
    vec p;       /* 0 there, and where it underflows */
    vec per_u;   /* p^(t2-1) within the support */
    ivec inside; /* the support */
};

/* Sums over the classes. */
struct target_sums {
    vec loss, pull, normaliser;
};

/* e^(s y); 1 at s = 0, also for an infinite y. */
HOT vec stretched_power(vec y, real s)
{
    return s == 0 ? vec_all(1) : vec_exp(y * s);
}

/* (e^(s y) - 1)/s given e^(s y); y at s = 0. */
HOT vec stretch(vec y, vec exp_sy, real s)
{
    return s == 0 ? y : vec_stretch_exp_with(y, exp_sy, s);
}

/* Class c at the solution. */
HOT struct class_point class_at(const struct lanes *lanes, size_t c, vec lambda)
{
    struct class_point at;
    if (lanes->s == 0) {
        at.log_p = vec_load(lanes->a + c * lanes->stride) - lanes->max - lambda;
        at.per_u = vec_all(1);
    } else {
        vec z = stretched_gap_in_range(lanes, c, lambda * lanes->s), u = vec_max(1 + z, vec_all((real)1e-30));
        at.per_u = vec_reciprocal(u);
        at.log_p = vec_log1p_with(z, u, at.per_u) * (-1 / lanes->s);
        at.log_p = vec_select(z > -1, at.log_p, vec_all((real)-__builtin_inf()));
    }
    at.inside = at.log_p > (real)-__builtin_inf();
    at.p = vec_exp(at.log_p);
    return at;
}

/* log y of y > 0; that of the least normal number below it. */
HOT vec log_of_target(vec y)
{
    return log_normal(vec_max(y, vec_all((real)LEAST_NORMAL)));
}

/* -y log_t1(p/y), and y^t1 p^(t2-t1) = y (p/y)^(1-t1) / u. */
HOT vec tempered_terms(const struct class_point *at, vec y, real t1, struct target_sums *sums)
{
    vec ratio = at->log_p - log_of_target(y), power = stretched_power(ratio, 1 - t1);
    vec loss = y * stretch(ratio, power, 1 - t1), pull = y * power * at->per_u;
    sums->loss -= (vec)((ivec)loss & (y > 0));
    return (vec)((ivec)pull & (y > 0) & at->inside);
}

/* Of a class whose y is 0: p^(2-t1)/(2-t1), and p^(1+t2-t1). */
HOT vec bregman_terms_zero(const struct class_point *at, real t1, struct target_sums *sums)
{
    vec power = vec_exp(at->log_p * (2 - t1));
    sums->loss = vec_fma(power, vec_all(1 / (2 - t1)), sums->loss);
    return (vec)((ivec)(power * at->per_u) & at->inside);
}

/* Of any class, by the formulas of bregman_term in target_losses.c. */
HOT vec bregman_terms(const struct class_point *at, vec y, real t1, struct target_sums *sums)
{
    const real s = 1 - t1;
    ivec labelled = y > 0;
    struct target_sums zero = {.loss = vec_all(0)};
    vec pull_zero = bregman_terms_zero(at, t1, &zero);
    vec log_y = log_of_target(y), first_p = stretched_power(at->log_p, s), first_y = stretched_power(log_y, s);
    vec second_p = vec_exp(at->log_p * (1 + s)), second_y = vec_exp(log_y * (1 + s));
    vec of_logs = y * (stretch(log_y, first_y, s) - stretch(at->log_p, first_p, s));
    vec of_powers = (second_p - second_y) * (1 / (1 + s)); /* small where both are, so that no digits are lost */
    vec pull = (second_p - y * first_p) * at->per_u;
    sums->loss += vec_select(labelled, of_logs + of_powers, zero.loss);
    return vec_select(labelled, (vec)((ivec)pull & at->inside), pull_zero);
}

/* The case that a loop is compiled for. */
struct target_case {
    bool bregman, hard;
};

/* LANES rows at their solution. */
struct target_lanes {
    const struct lanes *lanes;
    real *target;
    vec lambda;
    real t1;
};

/* The first pass over some classes; what is computed for a class is a constant to the compiler. */
HOT struct target_sums target_part(const struct target_lanes *rows, size_t from, size_t to, const struct target_case as)
{
    const struct lanes *lanes = rows->lanes;
    struct target_sums sums = {vec_all(0), vec_all(0), vec_all(0)};
    for (size_t c = from; c < to; c++) {
        const struct class_point at = class_at(lanes, c, rows->lambda);
        real *entry = rows->target + c * lanes->stride;
        vec pull, power = (vec)((ivec)(at.p * at.per_u) & at.inside);
        if (as.hard)
            pull = bregman_terms_zero(&at, rows->t1, &sums);
        else if (as.bregman)
            pull = bregman_terms(&at, vec_load(entry), rows->t1, &sums);
        else
            pull = tempered_terms(&at, vec_load(entry), rows->t1, &sums);
        sums.pull += pull;
        sums.normaliser += power;
        vec_store(entry, pull);
        vec_store(lanes->out + c * lanes->stride, power);
    }
    return sums;
}

/* All classes. Sums of parts are added, not of classes: a float loses digits in a long sum of equal terms. */
HOT struct target_sums target_pass(const struct target_lanes *rows, const struct target_case as)
{
    enum { PART = 32 };
    const size_t classes = rows->lanes->classes;
    struct target_sums sums = {vec_all(0), vec_all(0), vec_all(0)};
    for (size_t from = 0; from < classes; from += PART) {
        const size_t to = classes - from < PART ? classes : from + PART;
        const struct target_sums some = target_part(rows, from, to, as);
        sums.loss += some.loss;
        sums.pull += some.pull;
        sums.normaliser += some.normaliser;
    }
    return sums;
}

/* The second pass: q_c sum(pull) - pull_c, `sign` being 1, or its negative. */
HOT void target_gradients(const struct lanes *lanes, const real *target, const struct target_sums *sums, real sign)
{
    vec scale = sums->pull * vec_reciprocal(sums->normaliser) * sign;
    for (size_t c = 0; c < lanes->classes; c++) {
        real *out = lanes->out + c * lanes->stride;
        vec_store(out, vec_load(out) * scale - vec_load(target + c * lanes->stride) * sign);
    }
}

/* The loss of a hard label: the sum is that of classes with y = 0, and the term of the label is
 * (p^(2-t1) - 1)/(2-t1) - log_t1 p instead of p^(2-t1)/(2-t1). */
HOT void bregman_labels(const targets_block *rows, size_t first, const struct rows_in_progress *passage,
                        struct target_sums *sums, vec *factor)
{
    const struct lanes *lanes = &passage->lanes;
    const real t1 = (real)rows->block.shape.t1;
    vec a_label = gather_labels(lanes, load_labels(&rows->block, first));
    vec log_p = label_log_p(lanes, a_label, passage->solution.lambda);
    vec minus_log_t1 = label_loss(&rows->block.shape, log_p, factor);
    sums->loss = sums->loss - 1 / (2 - t1) + minus_log_t1;
    sums->pull -= *factor;
}

/* Loss and gradient of a vector of rows. */
HOT void target_rows(const targets_block *rows, size_t first, const struct rows_in_progress *passage)
{
    const struct lanes *lanes = &passage->lanes;
    const softmax_block *block = &rows->block;
    const struct target_lanes at = {lanes, rows->target + first, passage->solution.lambda, (real)block->shape.t1};
    struct target_sums sums;
    vec factor = vec_all(0);
    if (block->label)
        sums = target_pass(&at, (struct target_case){true, true});
    else if (rows->bregman)
        sums = target_pass(&at, (struct target_case){true, false});
    else
        sums = target_pass(&at, (struct target_case){false, false});
    if (block->label)
        bregman_labels(rows, first, passage, &sums, &factor);
    target_gradients(lanes, at.target, &sums, rows->bregman ? -1 : 1);
    if (block->label)
        subtract_at_labels(lanes, load_labels(block, first), factor);
    /* the loss of a certain label is a sum of rounding errors; that of a target without a sum of 1 may be negative */
    vec loss = block->label ? vec_select(sums.loss < 0, vec_all(0), sums.loss) : sums.loss;
    loss += passage->poison;
    loss = vec_select(passage->solution.failed, vec_all((real)__builtin_nan("")), loss);
    store_rows(block, first, loss, at.lambda);
}

/* As softmax_run. */
HOT void softmax_targets_run(const targets_block *rows)
{
    struct rows_in_progress passage[AT_ONCE];
    const struct start start = start_of(&rows->block.shape);
    for (size_t done = 0, count; (count = next_group(&rows->block, done)) > 0; done += count) {
        solve_group(&rows->block, done * LANES, count, start, passage);
        for (size_t k = 0; k < count; k++)
            target_rows(rows, (done + k) * LANES, &passage[k]);
    }
}
