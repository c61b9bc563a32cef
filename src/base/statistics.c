/* statistics: means, Student's t and Wilcoxon's signed-rank test, exact where that is possible.
 *
 * The two-sided p of a t statistic is a regularised incomplete beta function, computed by its continued fraction. The
 * distribution of the signed-rank sum is counted by dynamic programming over the ranks for few pairs, ties included;
 * for more pairs it is close to normal, and its variance is corrected for ties. */
#include "base/statistics.h"
#include "temper_extra.h"

#include <math.h>
#include <stdlib.h>

struct interval wilson_interval(double share, double rows)
{
    const double z95 = 1.959963984540054; /* of the normal distribution */
    double z2 = z95 * z95 / rows, middle = (share + z2 / 2) / (1 + z2);
    double half = z95 / (1 + z2) * sqrt(share * (1 - share) / rows + z2 / (4 * rows));
    return (struct interval){fmax(0, middle - half), fmin(1, middle + half)};
}

/* log Gamma(x) for x > 0 by Stirling's series; smaller x are first shifted to x >= 10 by the recurrence. The
 * library's lgamma is avoided as it writes the global signgam, which is a data race between threads. */
double log_gamma(double x)
{
    const double half_log_two_pi = 0.91893853320467274178;
    double shift = 0;
    while (x < 10) {
        shift += log(x);
        x += 1;
    }
    /* Four terms of the asymptotic series, which at x >= 10 are accurate to about 1e-12 and better. */
    double y = 1 / (x * x);
    double series = (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y / 1680))) / x;
    return (x - 0.5) * log(x) - x + half_log_two_pi + series - shift;
}

/* Two passes: the mean of the deviations from the first result is its rounding error. */
double mean_of(const double *values, size_t count)
{
    double sum = 0, rest = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    double mean = sum / (double)count;
    for (size_t i = 0; i < count; i++) /* corrects the rounding error */
        rest += values[i] - mean;
    return mean + rest / (double)count;
}

/* Sums squared deviations from the mean: the one-pass formula with the sum of squares would cancel. */
double deviation_of(const double *values, size_t count)
{
    double mean = mean_of(values, count), squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    return count > 1 ? sqrt(squares / (double)(count - 1)) : NAN;
}

/* ---- Student --------------------------------------------------------------------------------- */

/* Continued fraction of the incomplete beta function by Lentz's method; converges fast for
 * x < (a + 1)/(a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d;
    /* each pass adds an even and an odd term of the fraction (DLMF 8.17.22) */
    for (int m = 1; m < 400; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / (1 + even * d);
        c = 1 + even / c;
        h *= c * d;
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        h *= c * d;
        if (fabs(c * d - 1) < 1e-16)
            break;
    }
    return h;
}

/* The regularised incomplete beta function I_x(a, b). */
static double incomplete_beta(double a, double b, double x)
{
    /* x^a (1-x)^b / B(a, b), by logarithms, as the gamma functions overflow for a few hundred degrees of freedom */
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    /* else by the symmetry I_x(a, b) = 1 - I_{1-x}(b, a), where the fraction would converge slowly */
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* P(|T| >= |t|) = I_x(freedom/2, 1/2) at x = freedom/(freedom + t^2). */
double student_p(double t, double freedom)
{
    double x = freedom / (freedom + t * t);
    if (t == 0 || isinf(t))
        return t == 0 ? 1 : 0;
    return incomplete_beta(freedom / 2, 0.5, x);
}

/* ---- Wilcoxon -------------------------------------------------------------------------------- */

/* Of `twice` below: half of the sum of all doubled ranks. */
enum { MOST_SUM = TEMPER_WILCOXON_EXACT_PAIRS * (TEMPER_WILCOXON_EXACT_PAIRS + 1) / 2 };

/* Counts the assignments of signs that give each rank sum, by dynamic programming: `twice` is twice
 * the smaller sum, `rank` twice the rank of each pair, so that tied ranks are integers. Larger sums than `twice` are
 * not needed for any of those up to it. */
static double exact_p(size_t twice, const size_t *rank, size_t count)
{
    double assignments[MOST_SUM + 1] = {1}, below = 0;
    for (size_t i = 0; i < count; i++) {
        /* downwards, so that each rank is used once (as in the knapsack problem) */
        for (size_t sum = twice + 1; sum-- > rank[i];)
            assignments[sum] += assignments[sum - rank[i]];
    }
    /* the distribution is symmetric, so twice the lower tail is the two-sided p-value */
    for (size_t sum = 0; sum <= twice; sum++)
        below += assignments[sum];
    return fmin(1, 2 * below / ldexp(1, (int)count)); /* integers up to 2^50: exact */
}

/* Order by absolute difference; pairs without a difference were removed by the caller, as Wilcoxon prescribes. */
static int by_size(const void *left, const void *right)
{
    double a = ((const struct difference *)left)->size;
    double b = ((const struct difference *)right)->size;
    return (a > b) - (a < b);
}

/* For more pairs: the normal approximation, corrected for ties and continuity. */
static double wilcoxon_normal_p(double w, size_t count, double ties)
{
    /* mean and variance of the rank sum if signs are random */
    double n = (double)count, mean = n * (n + 1) / 4;
    double variance = n * (n + 1) * (2 * n + 1) / 24 - ties / 48;
    return fmin(1, erfc((mean - w - 0.5) / sqrt(2 * variance)));
}

/* Twice the rank sum of the positive differences; fills `rank`, doubled too, up to its length. */
static double rank_sum(const struct difference *sorted, size_t count, size_t *rank, double *ties)
{
    double positive = 0;
    *ties = 0;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && sorted[end].size == sorted[i].size;)
            end++;
        /* a group of k ties reduces the variance by (k^3 - k)/48 */
        double size = (double)(end - i);
        *ties += size * size * size - size;
        for (size_t k = i; k < end; k++) {
            if (k < TEMPER_WILCOXON_EXACT_PAIRS)
                rank[k] = i + 1 + end;
            positive += sorted[k].positive ? (double)(i + 1 + end) : 0;
        }
    }
    return positive;
}

/* Ranks are kept doubled, as tied differences share the mean of their ranks, which may be a half. */
double wilcoxon_p(struct difference *differing, size_t count, double *w)
{
    size_t rank[TEMPER_WILCOXON_EXACT_PAIRS];
    double ties, n = (double)count;
    qsort(differing, count, sizeof *differing, by_size);
    double positive = rank_sum(differing, count, rank, &ties);
    /* both rank sums together are n (n + 1)/2 */
    double twice = fmin(positive, n * (n + 1) - positive);
    *w = twice / 2;
    return count <= TEMPER_WILCOXON_EXACT_PAIRS ? exact_p((size_t)twice, rank, count)
                                                : wilcoxon_normal_p(twice / 2, count, ties);
}
