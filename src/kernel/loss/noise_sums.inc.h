/* noise_sums: noise_sums.h on vectors of doubles. */
#include "kernel/dense/linear_simd.h"
#include "kernel/loss/noise_sums.h"
#include "kernel/loss/vector_math.h"

/* Before a loop over sources, which is unrolled where their number is a constant: clang does so unasked, and warns if
 * it is asked to where it is none. */
#if defined(__clang__)
#define EACH_SOURCE
#else
#define EACH_SOURCE UNROLL
#endif

/* Probabilities that are multiplied before one logarithm: the product of so many is a normal number. */
enum { NOISE_PRODUCTS = 16 };

HOT double noise_add_lanes(vec v)
{
    double sum = 0;
    for (int lane = 0; lane < LANES; lane++)
        sum += v[lane];
    return sum;
}

/* Lanes of the rows from `row` on that are no padding. */
HOT ivec noise_live(size_t row, size_t rows)
{
    static const double number[] = {0, 1, 2, 3, 4, 5, 6, 7};
    return vec_load(number) < (double)rows - (double)row;
}

HOT vec noise_where(ivec mask, vec v)
{
    return (vec)(mask & (ivec)v);
}

/* The sum of logarithms of probabilities, by products of NOISE_PRODUCTS. */
struct noise_logs {
    vec product, sum;
    size_t count;
};

HOT void noise_logs_add(struct noise_logs *logs, vec p)
{
    logs->product *= p;
    if (++logs->count % NOISE_PRODUCTS == 0) {
        logs->sum += log_normal(logs->product);
        logs->product = vec_all(1);
    }
}

HOT double noise_logs_end(const struct noise_logs *logs)
{
    return noise_add_lanes(logs->sum + log_normal(logs->product));
}

/* ---- Two classes --------------------------------------------------------------------------------------------------
 */

/* The probabilities that the true class is the label, and that it is not. */
struct noise_pair {
    vec own, not_own;
};

/* The margins of LANES rows; here and below `sources` is a constant to the compiler where there are few. */
HOT vec noise_margin_at(const struct noise_margins *rows, size_t sources, size_t row)
{
    vec m = vec_all(rows->offset);
    EACH_SOURCE for (size_t k = 0; k < sources; k++) m =
        vec_fma(vec_all(rows->slope[k]), vec_load(rows->difference + k * rows->stride + row), m);
    return m;
}

HOT struct noise_pair noise_pair_at(const struct noise_margins *rows, size_t sources, size_t row)
{
    vec m = noise_margin_at(rows, sources, row);
    vec e = vec_exp_negative(-vec_abs(m)), r = vec_reciprocal(1 + e), small = e * r;
    ivec wrong = m < 0;
    return (struct noise_pair){vec_select(wrong, small, r), vec_select(wrong, r, small)};
}

HOT void noise_margins_of(const struct noise_margins *rows, size_t sources, struct noise_margin_sums *sums)
{
    vec by_slope[NOISE_MOST], by_offset = vec_all(0), by_same = by_offset, by_other = by_offset;
    struct noise_logs logs = {vec_all(1), vec_all(0), 0};
    EACH_SOURCE for (size_t k = 0; k < sources; k++) by_slope[k] = vec_all(0);
    for (size_t row = 0; row < rows->rows; row += LANES) {
        struct noise_pair pair = noise_pair_at(rows, sources, row);
        ivec live = noise_live(row, rows->rows);
        vec p = vec_fma(pair.own, vec_all(rows->same), pair.not_own * rows->other);
        p = vec_max(p, vec_all(NOISE_LEAST));
        vec inverse = noise_where(live, vec_reciprocal(p));
        vec by_margin = pair.own * pair.not_own * (rows->same - rows->other) * inverse;
        by_same = vec_fma(pair.own, inverse, by_same);
        by_other = vec_fma(pair.not_own, inverse, by_other);
        by_offset += by_margin;
        EACH_SOURCE for (size_t k = 0; k < sources; k++) by_slope[k] =
            vec_fma(by_margin, vec_load(rows->difference + k * rows->stride + row), by_slope[k]);
        noise_logs_add(&logs, vec_select(live, p, vec_all(1)));
    }
    EACH_SOURCE for (size_t k = 0; k < sources; k++) sums->by_slope[k] = noise_add_lanes(by_slope[k]);
    sums->by_offset = noise_add_lanes(by_offset);
    sums->by_same = noise_add_lanes(by_same);
    sums->by_other = noise_add_lanes(by_other);
    sums->log_likelihood = noise_logs_end(&logs);
}

/* Calls of(..., sources, ...) with a constant in place of up to six sources, so that sums stay in registers. */
#define NOISE_BY_SOURCES(of, rows, sums)                                                                               \
    switch ((rows)->sources) {                                                                                         \
    case 1:                                                                                                            \
        of(rows, 1, sums);                                                                                             \
        break;                                                                                                         \
    case 2:                                                                                                            \
        of(rows, 2, sums);                                                                                             \
        break;                                                                                                         \
    case 3:                                                                                                            \
        of(rows, 3, sums);                                                                                             \
        break;                                                                                                         \
    case 4:                                                                                                            \
        of(rows, 4, sums);                                                                                             \
        break;                                                                                                         \
    case 5:                                                                                                            \
        of(rows, 5, sums);                                                                                             \
        break;                                                                                                         \
    case 6:                                                                                                            \
        of(rows, 6, sums);                                                                                             \
        break;                                                                                                         \
    default:                                                                                                           \
        of(rows, (rows)->sources, sums);                                                                               \
    }

static void noise_margins_run(const struct noise_margins *rows,
                              struct noise_margin_sums *sums){NOISE_BY_SOURCES(noise_margins_of, rows, sums)}

/* log(1 / (1 + exp(-m))) = min(m, 0) - log(1 + exp(-|m|)) */
HOT void noise_correct_of(const struct noise_margins *rows, size_t sources, struct noise_margin_sums *sums)
{
    vec by_slope[NOISE_MOST], by_offset = vec_all(0), below = by_offset;
    struct noise_logs logs = {vec_all(1), vec_all(0), 0};
    EACH_SOURCE for (size_t k = 0; k < sources; k++) by_slope[k] = vec_all(0);
    for (size_t row = 0; row < rows->rows; row += LANES) {
        ivec live = noise_live(row, rows->rows);
        vec m = noise_margin_at(rows, sources, row);
        vec e = vec_exp_negative(-vec_abs(m)), r = vec_reciprocal(1 + e);
        ivec wrong = m < 0;
        vec not_own = noise_where(live, vec_select(wrong, r, e * r));
        below += noise_where(live & wrong, m);
        by_offset += not_own;
        EACH_SOURCE for (size_t k = 0; k < sources; k++) by_slope[k] =
            vec_fma(not_own, vec_load(rows->difference + k * rows->stride + row), by_slope[k]);
        noise_logs_add(&logs, vec_select(live, 1 + e, vec_all(1)));
    }
    EACH_SOURCE for (size_t k = 0; k < sources; k++) sums->by_slope[k] = noise_add_lanes(by_slope[k]);
    sums->by_offset = noise_add_lanes(by_offset);
    sums->by_same = sums->by_other = 0;
    sums->log_likelihood = noise_add_lanes(below) - noise_logs_end(&logs);
}

/* A slope for each class of five sources is what an audit with all of them has. */
static void noise_margins_correct_run(const struct noise_margins *rows, struct noise_margin_sums *sums)
{
    if (rows->sources == 10)
        noise_correct_of(rows, 10, sums);
    else
        noise_correct_of(rows, rows->sources, sums);
}

static void noise_margin_values_run(const struct noise_margins *rows, double *margin)
{
    for (size_t row = 0; row < rows->stride; row += LANES)
        vec_store(margin + row, noise_margin_at(rows, rows->sources, row));
}

static void noise_margin_dots_run(const struct noise_margins *rows, const double *slope, double *by_slope)
{
    for (size_t k = 0; k < rows->sources; k++) {
        vec sum = vec_all(0);
        for (size_t row = 0; row < rows->stride; row += LANES)
            sum = vec_fma(vec_load(slope + row), vec_load(rows->difference + k * rows->stride + row), sum);
        by_slope[k] = noise_add_lanes(sum);
    }
}

static void noise_margin_priors_run(const struct noise_margins *rows, double *own)
{
    for (size_t row = 0; row < rows->rows; row += LANES)
        vec_store(own + row, noise_pair_at(rows, rows->sources, row).own);
}

static double noise_margin_joint_run(const struct noise_margins *rows, const double *own)
{
    vec sum = vec_all(0);
    for (size_t row = 0; row < rows->rows; row += LANES) {
        vec p = vec_load(own + row), right = p * rows->same;
        vec all = vec_fma(1 - p, vec_all(rows->other), right) + NOISE_LEAST;
        sum += noise_where(noise_live(row, rows->rows), right * vec_reciprocal(all));
    }
    return noise_add_lanes(sum);
}

/* ---- More classes -------------------------------------------------------------------------------------------------
 */

/* Fills p[class * step] with exp(activation - largest activation) of LANES rows; returns their sum. */
HOT vec noise_exponentials(const struct noise_scores *rows, size_t sources, size_t row, double *p, size_t step)
{
    vec most = vec_all(-(real)__builtin_inf()), sum = vec_all(0);
    for (size_t c = 0; c < rows->classes; c++) {
        const double *e = rows->evidence + c * rows->stride + row;
        vec a = vec_all(rows->offset[c]);
        EACH_SOURCE for (size_t k = 0; k < sources; k++) a =
            vec_fma(vec_all(rows->slope[k]), vec_load(e + k * rows->classes * rows->stride), a);
        vec_store(p + c * step, a);
        most = vec_max(a, most);
    }
    for (size_t c = 0; c < rows->classes; c++) {
        vec e = vec_exp_negative(vec_load(p + c * step) - most);
        vec_store(p + c * step, e);
        sum += e;
    }
    return sum;
}

/* sum_c chance_c p_c, of a number p for each class and lane. */
HOT vec noise_chance(const struct noise_scores *rows, const double *p, size_t step)
{
    vec sum = vec_all(0);
    for (size_t c = 0; c < rows->classes; c++)
        sum = vec_fma(vec_all(rows->chance[c]), vec_load(p + c * step), sum);
    return sum;
}

/* Adds the derivatives of LANES rows by the slopes. The prior of a class is p * scale[0]; sums of priors and of priors
 * over the probability of the label, LANES for each class, follow p in the space. */
HOT void noise_derivatives(const struct noise_scores *rows, size_t sources, size_t row, const vec scale[2],
                           vec by_slope[NOISE_MOST])
{
    const double *p = rows->space;
    double *prior = rows->space + rows->classes * NOISE_PAD, *ratio = prior + rows->classes * NOISE_PAD;
    for (size_t c = 0; c < rows->classes; c++) {
        const double *e = rows->evidence + c * rows->stride + row;
        vec own = vec_load(p + c * LANES) * scale[0], over = own * scale[1];
        vec by_activation = vec_fma(over, vec_all(rows->chance[c]), -own);
        vec_store(prior + c * LANES, vec_load(prior + c * LANES) + own);
        vec_store(ratio + c * LANES, vec_load(ratio + c * LANES) + over);
        EACH_SOURCE for (size_t k = 0; k < sources; k++) by_slope[k] =
            vec_fma(by_activation, vec_load(e + k * rows->classes * rows->stride), by_slope[k]);
    }
}

HOT void noise_scores_of(const struct noise_scores *rows, size_t sources, struct noise_score_sums *sums)
{
    double *p = rows->space, *prior = p + rows->classes * NOISE_PAD, *ratio = prior + rows->classes * NOISE_PAD;
    vec by_slope[NOISE_MOST];
    struct noise_logs logs = {vec_all(1), vec_all(0), 0};
    memset(prior, 0, 2 * NOISE_PAD * rows->classes * sizeof *prior);
    EACH_SOURCE for (size_t k = 0; k < sources; k++) by_slope[k] = vec_all(0);
    for (size_t row = 0; row < rows->rows; row += LANES) {
        ivec live = noise_live(row, rows->rows);
        vec scale[2], sum = noise_exponentials(rows, sources, row, p, LANES);
        scale[0] = vec_reciprocal(sum);
        vec likely = vec_max(noise_chance(rows, p, LANES) * scale[0], vec_all(NOISE_LEAST));
        scale[0] = noise_where(live, scale[0]);
        scale[1] = vec_reciprocal(likely);
        noise_derivatives(rows, sources, row, scale, by_slope);
        noise_logs_add(&logs, vec_select(live, likely, vec_all(1)));
    }
    EACH_SOURCE for (size_t k = 0; k < sources; k++) sums->by_slope[k] = noise_add_lanes(by_slope[k]);
    for (size_t c = 0; c < rows->classes; c++) {
        sums->by_chance[c] = noise_add_lanes(vec_load(ratio + c * LANES));
        sums->by_offset[c] = rows->chance[c] * sums->by_chance[c] - noise_add_lanes(vec_load(prior + c * LANES));
    }
    sums->log_likelihood = noise_logs_end(&logs);
}

static void noise_scores_run(const struct noise_scores *rows, struct noise_score_sums *sums)
{
    NOISE_BY_SOURCES(noise_scores_of, rows, sums)
}

static void noise_score_priors_run(const struct noise_scores *rows, double *prior)
{
    for (size_t row = 0; row < rows->rows; row += LANES) {
        vec scale = vec_reciprocal(noise_exponentials(rows, rows->sources, row, prior + row, rows->stride));
        for (size_t c = 0; c < rows->classes; c++)
            vec_store(prior + c * rows->stride + row, scale * vec_load(prior + c * rows->stride + row));
    }
}

static void noise_score_joint_run(const struct noise_scores *rows, const double *prior, double *joint)
{
    double *ratio = rows->space;
    memset(ratio, 0, NOISE_PAD * rows->classes * sizeof *ratio);
    for (size_t row = 0; row < rows->rows; row += LANES) {
        vec p = vec_max(noise_chance(rows, prior + row, rows->stride), vec_all(NOISE_LEAST));
        vec inverse = noise_where(noise_live(row, rows->rows), vec_reciprocal(p));
        for (size_t c = 0; c < rows->classes; c++)
            vec_store(ratio + c * LANES,
                      vec_fma(inverse, vec_load(prior + c * rows->stride + row), vec_load(ratio + c * LANES)));
    }
    for (size_t c = 0; c < rows->classes; c++)
        joint[c] = rows->chance[c] * noise_add_lanes(vec_load(ratio + c * LANES));
}

#define NOISE_TABLE                                                                                                    \
    {noise_margins_run,     noise_margins_correct_run, noise_margin_values_run,                                        \
     noise_margin_dots_run, noise_margin_priors_run,   noise_margin_joint_run,                                         \
     noise_scores_run,      noise_score_priors_run,    noise_score_joint_run}
