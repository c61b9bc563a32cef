/* residual_f32: residual.h on vectors of floats.
 *
 * Activations in floats have the precision of floats, so their losses need no more: half as many vectors,
 * and polynomials of half the degree. Sums are in doubles. */
#include "kernel/loss/margin_vectors.inc.h"
#include "kernel/loss/residual.h"

typedef double wide_vec __attribute__((vector_size(SIMD_BYTES)));
typedef float low_vec __attribute__((vector_size(SIMD_BYTES / 2)));

enum { FLOAT_STEP = GROUP * LANES };

/* Sums of each lane. */
struct float_lanes {
    wide_vec loss, residual;
    vec correct; /* integers, of fewer rows than floats can count exactly */
};

/* The lower and the upper half of the lanes. */
HOT void halves(vec v, low_vec *low, low_vec *high)
{
    memcpy(low, &v, sizeof *low);
    memcpy(high, (const char *)&v + sizeof *low, sizeof *high);
}

/* Adds both halves of v, converted to doubles. */
HOT wide_vec add_wide(wide_vec sum, vec v)
{
    low_vec low, high;
    halves(v, &low, &high);
    return sum + (__builtin_convertvector(low, wide_vec) + __builtin_convertvector(high, wide_vec));
}

/* LANES floats as doubles. */
HOT void store_wide(double *to, vec v)
{
    low_vec low, high;
    halves(v, &low, &high);
    wide_vec wide = __builtin_convertvector(low, wide_vec);
    memcpy(to, &wide, sizeof wide);
    wide = __builtin_convertvector(high, wide_vec);
    memcpy(to + LANES / 2, &wide, sizeof wide);
}

/* Margins beyond the polynomials, by the kernel of doubles. Rare, so not inlined. */
static __attribute__((noinline)) void replace_outside(const struct margin_table *table, margin_fn *margins,
                                                      const vec *m, struct margin_vec *loss)
{
    double margin[FLOAT_STEP], value[FLOAT_STEP], slope[FLOAT_STEP], curvature[FLOAT_STEP];
    for (int g = 0; g < GROUP; g++)
        store_wide(margin + g * LANES, m[g]);
    margins(table, margin, FLOAT_STEP, value, slope, curvature);
    for (int g = 0; g < GROUP; g++)
        for (int lane = 0; lane < LANES; lane++) {
            const int i = g * LANES + lane;
            if (__builtin_fabs(margin[i]) < (double)table->floats.limit)
                continue;
            loss[g].value[lane] = (float)value[i];
            loss[g].slope[lane] = (float)slope[i];
            loss[g].curvature[lane] = (float)curvature[i];
        }
}

/* As margins_group, with the polynomials of floats. */
HOT void float_losses(const struct margin_table *table, margin_fn *margins, const vec *m, const bool curved,
                      struct margin_vec *loss)
{
    vec inside[GROUP];
    ivec outside[GROUP], any = ivec_all(0);
    UNROLL for (int g = 0; g < GROUP; g++)
    {
        inside[g] = clip(m[g], table->floats.limit, &outside[g]);
        any |= outside[g];
    }
    polynomial_margins(&table->floats, inside, 2, curved, loss);
    if (vec_any(any))
        replace_outside(table, margins, m, loss);
}

/* All ones in lanes below `count`. */
HOT ivec first_lanes(size_t count)
{
    whole ones[LANES];
    ivec mask;
    for (size_t lane = 0; lane < LANES; lane++)
        ones[lane] = lane < count ? -1 : 0;
    memcpy(&mask, ones, sizeof mask);
    return mask;
}

/* Some rows of which only the first `count` are summed. */
struct float_rows {
    const uint32_t *label;
    float *activation;
    double *curvature; /* or NULL */
    size_t count;
};

/* FLOAT_STEP rows; `full` if all count. */
HOT void float_step(const struct residual_rows *all, struct float_rows rows, margin_fn *margins,
                    struct float_lanes *sums, const bool full, const bool curved)
{
    const ivec sign = (ivec)vec_all(-0.0F);
    vec m[GROUP];
    ivec flip[GROUP], counts[GROUP]; /* sign bit of rows that are not class 1 */
    struct margin_vec loss[GROUP];
    UNROLL for (int g = 0; g < GROUP; g++)
    {
        const size_t at = (size_t)g * LANES;
        vec a = vec_load(rows.activation + at) + (float)all->bias;
        ivec is_one;
        memcpy(&is_one, rows.label + at, sizeof is_one);
        is_one = is_one == 1;
        flip[g] = ~is_one & sign;
        m[g] = (vec)((ivec)a ^ flip[g]);
        counts[g] = full ? ivec_all(-1) : first_lanes(rows.count > at ? rows.count - at : 0);
        sums->correct += (vec)((ivec)vec_all(1) & ~((a > 0) ^ is_one) & counts[g]);
    }
    float_losses(all->table, margins, m, curved, loss);
    UNROLL for (int g = 0; g < GROUP; g++)
    {
        const size_t at = (size_t)g * LANES;
        vec r = (vec)(((ivec)loss[g].slope ^ flip[g]) & counts[g]);
        sums->loss = add_wide(sums->loss, (vec)((ivec)loss[g].value & counts[g]));
        sums->residual = add_wide(sums->residual, r);
        vec_store(rows.activation + at, r);
        if (curved)
            store_wide(rows.curvature + at, loss[g].curvature);
    }
}

/* The last rows, of which there are fewer than a step has. */
static void float_rest(const struct residual_rows *all, size_t i, float *activation, margin_fn *margins,
                       struct float_lanes *sums)
{
    float number[FLOAT_STEP] = {0};
    double curvature[FLOAT_STEP];
    uint32_t label[FLOAT_STEP] = {0};
    const size_t count = all->rows - i;
    memcpy(number, activation + i, count * sizeof *number);
    memcpy(label, all->label + i, count * sizeof *label);
    float_step(all, (struct float_rows){label, number, curvature, count}, margins, sums, false, true);
    memcpy(activation + i, number, count * sizeof *number);
    if (all->curvature)
        memcpy(all->curvature + i, curvature, count * sizeof *curvature);
}

/* All rows; lanes of the last, shorter step are masked. */
HOT void float_loop(const struct residual_rows *all, float *activation, margin_fn *margins, struct float_lanes *sums,
                    const bool curved)
{
    size_t i = 0;
    for (; i + FLOAT_STEP <= all->rows; i += FLOAT_STEP) {
        struct float_rows rows = {all->label + i, activation + i, curved ? all->curvature + i : NULL, FLOAT_STEP};
        residual_fetch(all, i, FLOAT_STEP);
        float_step(all, rows, margins, sums, true, curved);
    }
    if (i < all->rows)
        float_rest(all, i, activation, margins, sums);
}

/* Are there polynomials of floats, and no weights, which are doubles? */
HOT bool residual_in_floats(const struct residual_rows *rows)
{
    return rows->table->form != MARGIN_EXACT && rows->table->floats.limit > 0 && !rows->weight;
}

/* `margins` is the kernel of doubles of the same instruction set, for margins beyond the polynomials. */
HOT void residual_floats(const struct residual_rows *rows, float *activation, struct residual_sums *sums,
                         margin_fn *margins)
{
    struct float_lanes lanes = {{0}, {0}, {0}};
    if (rows->curvature)
        float_loop(rows, activation, margins, &lanes, true);
    else
        float_loop(rows, activation, margins, &lanes, false);
    for (int k = 0; k < LANES; k++)
        sums->correct += (double)lanes.correct[k];
    for (int k = 0; k < LANES / 2; k++) {
        sums->loss += lanes.loss[k];
        sums->residual += lanes.residual[k];
    }
}
