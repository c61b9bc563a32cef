/* softmax_sums: the first half of softmax_body.h: what is summed over the classes at one lambda. */
#include "kernel/loss/softmax.h"
#include "kernel/loss/vector_math.h"

#ifdef SIMD_F32
typedef struct softmax_f32 softmax_block;
#define CLOSE_ENOUGH 4e-3f /* its third power is below the last digit */
#define ROUGH_ENOUGH 1e-1f
#define LARGEST_GAP  1e37f /* its reciprocal is a normal number */
#else
typedef struct softmax_f64 softmax_block;
#define CLOSE_ENOUGH 5e-6
#define ROUGH_ENOUGH 1e-2
#define LARGEST_GAP  1e300
#endif

enum { MOST_STEPS = 100 }; /* ten are plenty; what has not converged then becomes NaN */

/* Where searches of a block begin: (n^s - 1)/s for all classes, and for two of them. */
struct start {
    real all, two;
};

/* LANES rows of a block. */
struct lanes {
    const real *a; /* their activations; class c at [c * stride] */
    real *out;     /* their gradients */
    size_t classes, stride;
    real s; /* t2 - 1 */
    vec max;
};

/* Sums over classes at one lambda: p, p/u = p^t2, p/u^2, p/u^3 with u = 1 + s(b + lambda). */
struct gram_work {
    vec p, first, second, third;
};

/* What the activations say before anything is solved. */
struct shard_stats {
    vec max, second, mean;
};

HOT struct shard_stats survey_lanes(const real *a, size_t classes, size_t stride)
{
    const vec share = vec_all(1 / (real)classes); /* the mean of finite numbers is finite */
    struct shard_stats survey = {.max = vec_load(a), .second = vec_all((real)-__builtin_inf())};
    survey.mean = survey.max * share;
    for (size_t c = 1; c < classes; c++) {
        vec v = vec_load(a + c * stride);
        survey.second = vec_max(survey.second, vec_min(survey.max, v));
        survey.max = vec_max(survey.max, v);
        survey.mean = vec_fma(v, share, survey.mean);
    }
    return survey;
}

/* (n^s - 1)/s */
static real spread(double n, real s)
{
    return (real)(__builtin_expm1((double)s * __builtin_log(n)) / (double)s);
}

static struct start start_of(const struct softmax_shape *shape)
{
    const real s = (real)(shape->t2 - 1);
    if (s == 0)
        return (struct start){0};
    return (struct start){spread((double)shape->classes, s), spread(2, s)};
}

/* A start: the first three lower bounds of docs/math.md, but for the rounding of the mean. A step
 * from above the root leads below it, so that does no harm. */
HOT vec first_guess(const struct shard_stats *survey, struct start start)
{
    vec mean_gap = survey->max - survey->mean, second_gap = survey->max - survey->second;
    vec all = start.all - mean_gap, two = start.two - second_gap * (real)0.5;
    return vec_max(vec_all(0), vec_max(all, two));
}

/* z = s (b_c + lambda), so that u = 1 + z; `shift` is s lambda. */
HOT vec stretched_gap(const struct lanes *lanes, size_t c, vec shift)
{
    vec gap = lanes->max - vec_load(lanes->a + c * lanes->stride);
    return vec_fma(gap, vec_all(lanes->s), shift);
}

/* The same, kept within the range in which its reciprocal is a normal number. */
HOT vec stretched_gap_in_range(const struct lanes *lanes, size_t c, vec shift)
{
    return vec_min(stretched_gap(lanes, c, shift), vec_all((real)LARGEST_GAP));
}

/* Rough sums, for the way there. */
HOT struct gram_work rough_moments(const struct lanes *lanes, vec lambda)
{
    struct gram_work sum = {.p = vec_all(0), .first = vec_all(0), .second = vec_all(0)};
    vec power = vec_all(-1 / lanes->s), one_and_shift = 1 + lambda * lanes->s;
    vec lowest = vec_all((real)EXP_UNDERFLOW);
    for (size_t c = 0; c < lanes->classes; c++) {
        vec u = stretched_gap(lanes, c, one_and_shift);
        vec p = rough_exp2(vec_max(rough_log2(u) * power, lowest));
        vec r = vec_reciprocal_rough(u), pr = p * r;
        sum.p += p;
        sum.first += pr;
        sum.second = vec_fma(pr, r, sum.second);
    }
    return sum;
}

/* Full precision; leaves p_c^t2 = p_c/u_c in the output. `sparse` (t2 < 1): outside the support p
 * is 0. */
HOT struct gram_work full_moments(const struct lanes *lanes, vec lambda, bool sparse)
{
    struct gram_work sum = {vec_all(0), vec_all(0), vec_all(0), vec_all(0)};
    vec power = vec_all(-1 / lanes->s), shift = lambda * lanes->s;
    for (size_t c = 0; c < lanes->classes; c++) {
        vec z = stretched_gap_in_range(lanes, c, shift), u = 1 + z;
        if (sparse)
            u = vec_max(u, vec_all((real)1e-30));
        vec r = vec_reciprocal(u), p = vec_exp_negative(power * vec_log1p_with(z, u, r));
        if (sparse)
            p = (vec)((ivec)p & (z > -1));
        vec pr = p * r, prr = pr * r;
        sum.p += p;
        sum.first += pr;
        sum.second += prr;
        sum.third = vec_fma(prr, r, sum.third);
        vec_store(lanes->out + c * lanes->stride, pr);
    }
    return sum;
}
