/* margin: losses of margins on vectors of doubles. */
#include "kernel/loss/margin_vectors.inc.h"
#include "kernel/loss/vector_math.h"

/* Per lane, `yes` where the mask is set, else `no`. */
HOT struct margin_vec margin_select(ivec mask, struct margin_vec yes, struct margin_vec no)
{
    return (struct margin_vec){
        .value = vec_select(mask, yes.value, no.value),
        .slope = vec_select(mask, yes.slope, no.slope),
        .curvature = vec_select(mask, yes.curvature, no.curvature),
    };
}

/* t2 = 1: the formula of margin_sigmoid on vectors. */
HOT struct margin_vec sigmoid_margins(const struct margin_table *table, vec m, bool curved)
{
    vec e = vec_exp_negative(-vec_abs(m)), u = 1 + e, r = vec_reciprocal(u);
    vec log1p_e = vec_log1p_with(e, u, r);
    ivec wrong = m < 0;
    vec log_p = vec_select(wrong, m, vec_all(0)) - log1p_e;
    vec q = vec_select(wrong, r, e * r), one_minus_t1 = vec_all(1 - table->t1);
    struct margin_vec loss = {.value = -log_p, .slope = -q};
    vec power = vec_all(1);
    if (table->t1 != 1) {
        power = vec_exp(one_minus_t1 * log_p);
        loss.value = -vec_stretch_exp_with(log_p, power, 1 - table->t1);
        loss.slope = -power * q;
    }
    if (curved) {
        vec p = vec_select(wrong, e * r, r);
        loss.curvature = power * q * (p - one_minus_t1 * q);
    }
    struct margin_vec nan = {m, m, m}; /* the integer arithmetic inside exp does not propagate NaN */
    return margin_select(m != m, nan, loss);
}

/* Lanes beyond all polynomials are computed by the reference, one by one. */
static void replace_lanes(const struct margin_table *table, vec m, ivec outside, struct margin_vec *loss)
{
    for (int lane = 0; lane < LANES; lane++) {
        double margin = m[lane], value, slope, curvature;
        if (!outside[lane])
            continue;
        margins_plain(table, &margin, 1, &value, &slope, &curvature);
        loss->value[lane] = value;
        loss->slope[lane] = slope;
        loss->curvature[lane] = curvature;
    }
}

/* The lanes beyond the near polynomials. Rare, so not inlined. */
BINARY_PASS static __attribute__((noinline)) void far_margins(const struct margin_table *table, const vec *m,
                                                              const ivec *outside, struct margin_vec *loss)
{
    vec inside[GROUP];
    ivec beyond[GROUP];
    struct margin_vec far[GROUP];
    for (int g = 0; g < GROUP; g++)
        inside[g] = clip(m[g], table->far.limit, &beyond[g]);
    if (table->form == MARGIN_TABLE)
        polynomial_margins(&table->far, inside, 0, true, far);
    for (int g = 0; g < GROUP; g++) {
        if (!vec_any(outside[g]))
            continue;
        if (table->form == MARGIN_SIGMOID)
            far[g] = sigmoid_margins(table, m[g], true);
        else if (vec_any(beyond[g]))
            replace_lanes(table, m[g], beyond[g], &far[g]);
        loss[g] = margin_select(outside[g], far[g], loss[g]);
    }
}

#include "kernel/loss/margin_sparse.inc.h"

/* GROUP vectors: the near polynomials for all lanes, clipped to their range; then a correction of the lanes
 * outside. */
HOT void margins_group(const struct margin_table *table, const vec *m, bool curved, struct margin_vec *loss)
{
    vec inside[GROUP];
    ivec outside[GROUP], any = ivec_all(0);
    if (table->form == MARGIN_SPARSE) {
        sparse_margins(table, m, loss);
        return;
    }
    for (int g = 0; g < GROUP; g++) {
        inside[g] = clip(m[g], table->near.limit, &outside[g]);
        any |= outside[g];
    }
    polynomial_margins(&table->near, inside, 1, curved, loss);
    if (vec_any(any))
        far_margins(table, m, outside, loss);
}

HOT void load_group(const double *margin, vec *m)
{
    for (int g = 0; g < GROUP; g++)
        m[g] = vec_load(margin + g * LANES);
}

HOT void store_group(const struct margin_vec *loss, double *value, double *slope, double *curvature)
{
    for (int g = 0; g < GROUP; g++) {
        vec_store(value + g * LANES, loss[g].value);
        vec_store(slope + g * LANES, loss[g].slope);
        if (curvature)
            vec_store(curvature + g * LANES, loss[g].curvature);
    }
}

/* A last, shorter group, padded with zeros, so that results do not depend on the lane of a margin. */
static void margins_rest(const struct margin_table *table, const double *margin, size_t n, double *value, double *slope,
                         double *curvature)
{
    double in[GROUP * LANES] = {0}, values[GROUP * LANES], slopes[GROUP * LANES], curvatures[GROUP * LANES];
    struct margin_vec loss[GROUP];
    vec m[GROUP];
    memcpy(in, margin, n * sizeof *in);
    load_group(in, m);
    margins_group(table, m, curvature != NULL, loss);
    store_group(loss, values, slopes, curvatures);
    memcpy(value, values, n * sizeof *values);
    memcpy(slope, slopes, n * sizeof *slopes);
    if (curvature)
        memcpy(curvature, curvatures, n * sizeof *curvatures);
}

/* Two loops, with and without curvature, so that there is no branch inside. */
HOT void margins_loop(const struct margin_table *table, const double *margin, size_t n, double *value, double *slope,
                      double *curvature)
{
    const bool curved = curvature != NULL; /* a constant wherever this is inlined */
    struct margin_vec loss[GROUP];
    vec m[GROUP];
    size_t i = 0, step = GROUP * LANES;
    for (; i + step <= n; i += step) {
        load_group(margin + i, m);
        margins_group(table, m, curved, loss);
        store_group(loss, value + i, slope + i, curved ? curvature + i : NULL);
    }
    if (i < n)
        margins_rest(table, margin + i, n - i, value + i, slope + i, curved ? curvature + i : NULL);
}

/* Selects the loop once for each call. MARGIN_EXACT has no polynomials. */
HOT void margins_run(const struct margin_table *table, const double *margin, size_t n, double *value, double *slope,
                     double *curvature)
{
    if (table->form == MARGIN_EXACT)
        margins_plain(table, margin, n, value, slope, curvature);
    else if (curvature)
        margins_loop(table, margin, n, value, slope, curvature);
    else
        margins_loop(table, margin, n, value, slope, NULL);
}
