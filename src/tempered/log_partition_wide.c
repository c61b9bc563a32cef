/* partition_wide: t < 1 in long double. */
#include "tempered/log_partition_variants.h"

#define real long double
#include "tempered/log_partition_solver.h"

static struct newton wide_family(const double *a, size_t n, size_t top, double t)
{
    return (struct newton){.a = a, .n = n, .top = top, .s = (real)t - 1};
}

long double wide_solve(const double *a, size_t n, size_t top, double t, size_t *updates)
{
    struct newton family = wide_family(a, n, top, t);
    return newton_solve(&family, updates);
}

double wide_log_top(const double *a, size_t n, size_t top, double t, long double lambda)
{
    struct newton family = wide_family(a, n, top, t);
    return (double)newton_log_top(&family, lambda);
}

double wide_log_p(double gap_from, double a_c, double t, long double lambda)
{
    const double pair[2] = {gap_from, a_c};
    struct newton family = wide_family(pair, 2, 0, t);
    return (double)newton_class_log_p(&family, 1, lambda);
}
