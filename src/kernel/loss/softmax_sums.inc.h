/* softmax_sums: sums over the classes at one lambda, for softmax.inc.h. */
#include "kernel/loss/softmax.h"
#include "kernel/loss/vector_math.h"

#ifdef SIMD_F32
typedef struct softmax_f32 softmax_block;
#define CLOSE_ENOUGH 4e-3f /* its third power is below the last digit */
#define SOLVED       1e-6f /* |S - 1| that its rounding may leave */
#define ROUGH_ENOUGH 1e-1f
#define LARGEST_GAP  1e37f /* its reciprocal is a normal number */
#else
typedef struct softmax_f64 softmax_block;
#define CLOSE_ENOUGH 5e-6
#define SOLVED       2e-15
#define ROUGH_ENOUGH 1e-2
#define LARGEST_GAP  1e300
#endif

/* Below this u a class is left out of the rough sums. */
#define LEAST_ROUGH 1e-6

enum { MOST_STEPS = 100 }; /* ten usually suffice; rows that have not converged become NaN */

/* What the rows of a block have in common: (n^s - 1)/s for all classes, and for two, for the starts; `power` and its
 * floor of struct lanes. */
struct start {
    real all, two;
    int power;
    real power_floor;
};

/* LANES rows of a block. */
struct lanes {
    const real *a; /* their activations; class c at [c * stride] */
    real *out;     /* their gradients */
    size_t classes, stride;
    real s; /* t2 - 1 */
    vec max;
    int power;        /* t2 < 1: 1/(1-t2) if that is a small whole number, so that p is a product; else 0 */
    real power_floor; /* the least u that is raised to it: a smaller p would be denormal */
};

/* Sums over classes at one lambda: p, p/u = p^t2, p/u^2, p/u^3 with u = 1 + s(b + lambda). */
struct class_sums {
    vec p, first, second, third;
};

/* The largest, second largest and mean activation of each row. */
struct activation_summary {
    vec max, second, mean;
};

HOT struct activation_summary summarise_lanes(const real *a, size_t classes, size_t stride)
{
    const vec share = vec_all(1 / (real)classes); /* the mean of finite numbers is finite */
    struct activation_summary summary = {.max = vec_load(a), .second = vec_all((real)-__builtin_inf())};
    summary.mean = summary.max * share;
    for (size_t c = 1; c < classes; c++) {
        vec v = vec_load(a + c * stride);
        summary.second = vec_max(summary.second, vec_min(summary.max, v));
        summary.max = vec_max(summary.max, v);
        summary.mean = vec_fma(v, share, summary.mean);
    }
    return summary;
}

/* (n^s - 1)/s */
static real spread(double n, real s)
{
    return (real)(__builtin_expm1((double)s * __builtin_log(n)) / (double)s);
}

/* 1/(1-t2) for t2 = 0, 1/2, 2/3, 3/4, ...; 0 where it is no whole number (up to the rounding of t2) or large. */
static int whole_power(double t2)
{
    enum { MOST = 32 };
    const double power = t2 < 1 ? __builtin_round(1 / (1 - t2)) : 0;
    return power <= MOST && __builtin_fabs(power * (1 - t2) - 1) < 4e-16 * power ? (int)power : 0;
}

static struct start start_of(const struct softmax_shape *shape)
{
    const real s = (real)(shape->t2 - 1);
    if (s == 0)
        return (struct start){0};
    const int power = whole_power(shape->t2);
    const real floor = power > 0 ? (real)__builtin_exp2((double)EXP_UNDERFLOW / power) : 0;
    return (struct start){spread((double)shape->classes, s), spread(2, s), power, floor};
}

/* A start: the first three lower bounds of docs/math.md, up to the rounding of the mean; a step from above
 * the root leads below it, so that this is harmless. */
HOT vec first_guess(const struct activation_summary *summary, struct start start)
{
    vec mean_gap = summary->max - summary->mean, second_gap = summary->max - summary->second;
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

/* u^n by repeated squaring, n > 0. */
HOT vec vec_whole_power(vec u, int n)
{
    vec product = n & 1 ? u : vec_all(1);
    for (n >>= 1; n > 0; n >>= 1) {
        u *= u;
        product = n & 1 ? product * u : product;
    }
    return product;
}

/* Sums in low precision, for the first steps; `sparse` as below. */
HOT struct class_sums rough_sums(const struct lanes *lanes, vec lambda, bool sparse)
{
    struct class_sums sum = {.p = vec_all(0), .first = vec_all(0), .second = vec_all(0)};
    vec power = vec_all(-1 / lanes->s), one_and_shift = 1 + lambda * lanes->s;
    vec lowest = vec_all((real)EXP_UNDERFLOW);
    for (size_t c = 0; c < lanes->classes; c++) {
        vec u = stretched_gap(lanes, c, one_and_shift);
        ivec inside = u > (real)LEAST_ROUGH;
        if (sparse)
            u = vec_max(u, vec_all((real)LEAST_ROUGH));
        vec p = rough_exp2(vec_max(rough_log2(u) * power, lowest));
        if (sparse)
            p = (vec)((ivec)p & inside);
        vec r = vec_reciprocal_rough(u), pr = p * r;
        sum.p += p;
        sum.first += pr;
        sum.second = vec_fma(pr, r, sum.second);
    }
    return sum;
}

/* Sums in full precision; stores p_c^t2 = p_c/u_c in the output. `sparse` (t2 < 1): outside the support p
 * is 0. */
HOT struct class_sums full_sums(const struct lanes *lanes, vec lambda, bool sparse)
{
    struct class_sums sum = {vec_all(0), vec_all(0), vec_all(0), vec_all(0)};
    vec power = vec_all(-1 / lanes->s), shift = lambda * lanes->s;
    for (size_t c = 0; c < lanes->classes; c++) {
        vec z = stretched_gap_in_range(lanes, c, shift), u = 1 + z;
        if (sparse)
            u = vec_max(u, vec_all((real)1e-30));
        vec r = vec_reciprocal(u), p;
        if (sparse && lanes->power > 0) {
            p = vec_whole_power(vec_max(u, vec_all(lanes->power_floor)), lanes->power);
            p = vec_fma(p * (z - (u - 1)), r * (real)lanes->power, p); /* the rounding of u */
        } else
            p = vec_exp_negative(power * vec_log1p_with(z, u, r));
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
