/* partition_spread: temperatures so high that lambda itself leaves the double range.
 *
 * With v = log(1 + s lambda), log p_c = -(v + log(1 + s b_c e^-v))/s stays small. Such temperatures
 * are far from any use, so plain bisection will do. */
#include "tempered/log_partition_variants.h"

#include <float.h>
#include <math.h>

double spread_log_p(double gap_from, double a_c, double t, double log_spread)
{
    double s = t - 1, half = gap_from / 2 - a_c / 2; /* the gap itself may overflow */
    if (half == 0)
        return -log_spread / s;
    double log_far = log(s) + log(half) + log(2) - log_spread; /* log(s b e^-v) */
    return -(log_spread + (log_far > 0 ? log_far + log1p(exp(-log_far)) : log1p(exp(log_far)))) / s;
}

static double spread_sum(const double *a, size_t n, size_t top, double t, double log_spread)
{
    double sum = 0;
    for (size_t c = 0; c < n; c++)
        if (a[c] != -INFINITY)
            sum += exp(spread_log_p(a[top], a[c], t, log_spread));
    return sum;
}

double spread_solve(const double *a, size_t n, size_t top, double t, size_t *updates)
{
    double low = 0, high = (t - 1) * log((double)n);
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
