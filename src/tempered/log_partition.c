/* log_partition: the log-partition function G_t for every t >= 0, and probabilities from it.
 *
 * t = 1 is log-sum-exp. Other temperatures are solved by Newton's method in doubles (t > 1) or double-doubles
 * (t < 1), and by bisection where lambda would overflow. */
#include "tempered/log_partition.h"

#include <math.h>
#include <stdbool.h>

#include "tempered/log_partition_newton.h"
#include "tempered/log_partition_sparse.h"
#include "tempered/tempered_functions.h"

/* lambda <= (n^s - 1)/s: above this s log n it could overflow. */
static const double LARGEST_SPREAD = 600;

/* ---- Very high temperatures ------------------------------------------------------------------ */

/* With w = log(1 + s lambda)/s = -log p_top, log p_c = -w - log(1 + s b_c e^(-s w))/s stays small where lambda, or even
 * log(1 + s lambda), overflows. Such temperatures have no practical use, so bisection is fast enough. */
static double spread_log_p(double gap_from, double a_c, double t, double spread)
{
    double s = t - 1, half = gap_from / 2 - a_c / 2; /* the gap itself may overflow */
    if (half == 0)
        return -spread;
    double log_far = log(s) + log(half) + log(2) - s * spread; /* log(s b e^(-s w)) */
    return -spread - (log_far > 0 ? log_far + log1p(exp(-log_far)) : log1p(exp(log_far))) / s;
}

/* sum p_c */
static double spread_sum(const double *a, size_t n, size_t top, double t, double spread)
{
    double sum = 0;
    for (size_t c = 0; c < n; c++)
        if (a[c] != -INFINITY)
            sum += exp(spread_log_p(a[top], a[c], t, spread));
    return sum;
}

/* w, by bisection down to neighbouring doubles. */
static double spread_solve(const double *a, size_t n, size_t top, double t, size_t *updates)
{
    double low = 0, high = log((double)n);
    for (*updates = 0;; ++*updates) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            return high;
        if (spread_sum(a, n, top, t, middle) > 1)
            low = middle;
        else
            high = middle;
    }
}

/* ---- Solving --------------------------------------------------------------------------------- */

/* A NaN anywhere becomes the largest activation, so that it reaches the result. */
static size_t first_largest(const double *a, size_t n)
{
    size_t top = 0;
    for (size_t c = 1; c < n; c++)
        if (a[c] > a[top] || isnan(a[c])) /* a NaN is kept */
            top = c;
    return top;
}

/* Cases without a solver, which are true: illegal temperature, NaN or all activations -infinity (the result is NaN); a
 * single class of finite activation, or one of +infinity (probability 1, lambda = 0). Two classes of +infinity have no
 * limit: NaN. */
static bool partition_trivial(const double *a, size_t n, struct partition *family)
{
    if (!legal_temperature(family->t) || isnan(family->max) || family->max == -INFINITY) {
        family->max = family->lambda = family->log_top = NAN;
        return true;
    }
    bool alone = true, twice = false;
    for (size_t c = 0; c < n; c++)
        if (c != family->top && a[c] != -INFINITY) {
            alone = false;
            twice = twice || a[c] == INFINITY;
        }
    bool certain = alone || family->max == INFINITY;
    /* the limit would depend on how the two activations approach infinity */
    if (twice)
        family->max = family->lambda = family->log_top = NAN;
    return certain;
}

/* t = 1: log-sum-exp, by a compensated sum. */
static void solve_softmax(const double *a, size_t n, struct partition *family)
{
    /* Kahan's summation of the terms other than that of the largest activation, which is exactly 1 */
    double rest = 0, carry = 0;
    for (size_t c = 0; c < n; c++) {
        double term = (c == family->top ? 0 : exp(a[c] - family->max)) - carry;
        double sum = rest + term;
        carry = (sum - rest) - term;
        rest = sum;
    }
    family->lambda = log1p(rest);
    family->log_top = -family->lambda;
}

/* t > 1: double suffices, as 1 + s (b + lambda) >= 1 has no cancellation. */
static void solve_newton(const double *a, size_t n, struct partition *family)
{
    struct newton_family newton = {.a = a, .n = n, .top = family->top, .s = family->t - 1};
    double lambda = newton_solve(&newton, &family->updates);
    family->log_top = newton_log_top(&newton, lambda);
    family->lambda = lambda;
}

/* t < 1: lambda is kept in twice the digits, as partition_log_p subtracts it again near the edge of support. */
static void solve_sparse(const double *a, size_t n, struct partition *family)
{
    family->exact = sparse_solve(a, n, family->top, family->t, &family->updates);
    family->log_top = sparse_log_p(family->max, family->max, family->t, family->exact);
    family->lambda = family->exact.high;
}

/* t so large that lambda would overflow: w = log(1 + s lambda)/s is solved for instead. */
static void solve_spread(const double *a, size_t n, struct partition *family)
{
    family->spread = spread_solve(a, n, family->top, family->t, &family->updates);
    family->log_top = -family->spread;
    family->lambda = stretch_exp(family->spread, family->t - 1);
}

/* Each Newton or bisection step is one pass over the n classes. */
struct partition partition_solve(const double *a, size_t n, double t)
{
    struct partition family = {.t = t, .max = NAN};
    if (n == 0) {
        family.lambda = family.log_top = NAN;
        return family;
    }
    family.top = first_largest(a, n);
    family.max = a[family.top];
    if (partition_trivial(a, n, &family))
        return family;
    if (t == 1)
        solve_softmax(a, n, &family);
    else if (t < 1)
        solve_sparse(a, n, &family);
    /* lambda is at most (n^s - 1)/s, that of n equal activations */
    else if ((t - 1) * log((double)n) < LARGEST_SPREAD)
        solve_newton(a, n, &family);
    else
        solve_spread(a, n, &family);
    /* Near certainty log p_top has more digits than lambda: lambda = -log_t p_top. */
    if (t >= 1 && family.log_top > -0.5)
        family.lambda = fabs(stretch_exp(family.log_top, 1 - t)); /* never -0 */
    return family;
}

/* ---- Probabilities --------------------------------------------------------------------------- */

/* The likeliest class has its logarithm stored, as 1 minus the other probabilities is more accurate than lambda.
 * For another class the solver is called with two classes, the likeliest and this one: log p_c depends on a_c, max
 * and lambda only. */
double partition_log_p(const struct partition *family, size_t c, double a_c)
{
    if (c == family->top || isnan(family->max))
        return family->log_top;
    if (family->max == INFINITY || a_c == -INFINITY)
        return -INFINITY;
    if (family->t == 1)
        return a_c - family->max - family->lambda;
    if (family->spread > 0)
        return spread_log_p(family->max, a_c, family->t, family->spread);
    if (family->t < 1)
        return sparse_log_p(family->max, a_c, family->t, family->exact);
    /* the gap to the largest activation is all that matters */
    const double pair[2] = {family->max, a_c};
    const struct newton_family newton = {.a = pair, .n = 2, .top = 0, .s = family->t - 1};
    return newton_class_log_p(&newton, 1, family->lambda);
}

/* (p_c/p_top)^t; at t = 0 this is 1 for every class of the support. */
static double relative_power(const struct partition *family, size_t c, double a_c)
{
    double log_p = partition_log_p(family, c, a_c);
    return log_p == -INFINITY ? 0 : exp(family->t * (log_p - family->log_top));
}

/* Terms are at most 1, and that of the likeliest class is 1: no overflow, and the logarithm is at least 0. */
double partition_log_share(const struct partition *family, const double *a, size_t n)
{
    double sum = 0;
    for (size_t c = 0; c < n; c++)
        sum += relative_power(family, c, a[c]);
    return log(sum);
}

/* The sum is the one above; here the terms are kept, to be normalised. */
double partition_escort(const struct partition *family, const double *a, size_t n, double *q)
{
    double sum = 0;
    for (size_t c = 0; c < n; c++) {
        q[c] = relative_power(family, c, a[c]);
        sum += q[c];
    }
    for (size_t c = 0; c < n; c++)
        q[c] /= sum;
    return family->t * family->log_top + log(sum);
}

/* ---- Closed forms ---------------------------------------------------------------------------- */

/* t = 0, sparsemax: the two probabilities are (1 +- a)/2. */
static double closed_0(double a)
{
    return a < 1 ? 0.5 : a / 2;
}

/* t = 1/2: with y = 1 - G/2 and h = a/4, (y + h)^2 + (y - h)^2 = 1. */
static double closed_half(double a)
{
    double h = a / 4;
    return a < 2 ? 2 - 2 * sqrt(0.5 - h * h) : a / 2;
}

/* t = 2/3: with y = 1 - G/3 and h = a/6, (y + h)^3 + (y - h)^3 = 1, y^3 + 3 h^2 y = 1/2 by Cardano's formula. */
static double closed_two_thirds(double a)
{
    double h = a / 6, u = cbrt(0.25 + sqrt(0.0625 + h * h * h * h * h * h));
    return a < 3 ? 3 - 3 * (u - h * h / u) : a / 2;
}

/* t = 3/4: with y = 1 - G/4 and h = a/8, (y + h)^4 + (y - h)^4 = 1, a quadratic equation in y^2. */
static double closed_three_quarters(double a)
{
    double h = a / 8;
    return a < 4 ? 4 - 4 * sqrt(sqrt(0.5 + 8 * h * h * h * h) - 3 * h * h) : a / 2;
}

/* t = 1, logistic: log(e^(a/2) + e^(-a/2)), without overflow. */
static double closed_1(double a)
{
    return a / 2 + log1p(exp(-a));
}

/* t = 3/2: with y = 1 + G/2 and h = a/4, (y + h)^-2 + (y - h)^-2 = 1. */
static double closed_three_halves(double a)
{
    double h = a / 4;
    double root = h < 1e150 ? sqrt(1 + h * h + sqrt(1 + 4 * h * h)) : h;
    return 2 * root - 2;
}

static double closed_2(double a)
{
    return hypot(a / 2, 1);
}

/* G is even in a, so the forms assume a >= 0. */
double partition_closed(double a, double t)
{
    static const struct {
        double t;
        double (*form)(double);
    } forms[] = {
        {0, closed_0},
        {0.5, closed_half},
        {2.0 / 3, closed_two_thirds},
        {0.75, closed_three_quarters},
        {1, closed_1},
        {1.5, closed_three_halves},
        {2, closed_2},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].t == t)
            return forms[i].form(fabs(a));
    return NAN;
}
