/* api: the paper's functions. Each public call checks its arguments and delegates. */
#include "temper.h"

#include <math.h>

#include "tempered/log_partition.h"
#include "tempered/paper_solvers.h"
#include "tempered/tempered_functions.h"

#define TEXT_OF(x) #x
#define VERSION(x) TEXT_OF(x)

const char *temper_version(void)
{
    return VERSION(TEMPER_VERSION_MAJOR) "." VERSION(TEMPER_VERSION_MINOR) "." VERSION(TEMPER_VERSION_PATCH);
}

double temper_log_t(double x, double t)
{
    return log_t(x, t);
}

double temper_exp_t(double x, double t)
{
    return exp_t(x, t);
}

double temper_entropy(const double *p, size_t n, double t)
{
    return entropy_t(p, n, t);
}

double temper_divergence(const double *p, const double *q, size_t n, double t)
{
    return divergence_t(p, q, n, t);
}

double temper_log_partition(const double *a, size_t n, double t)
{
    struct partition family = partition_solve(a, n, t);
    return family.max + family.lambda;
}

double temper_log_partition_excess(const double *a, size_t n, double t)
{
    return partition_solve(a, n, t).lambda;
}

void temper_probabilities(const double *a, size_t n, double t, double *p)
{
    struct partition family = partition_solve(a, n, t);
    for (size_t c = 0; c < n; c++)
        p[c] = exp(partition_log_p(&family, c, a[c]));
}

void temper_log_partition_gradient(const double *a, size_t n, double t, double *q)
{
    struct partition family = partition_solve(a, n, t);
    partition_escort(&family, a, n, q);
}

void temper_escort(const double *p, size_t n, double t, double *q)
{
    escort_t(p, n, t, q);
}

double temper_escort_normaliser(const double *p, size_t n, double t)
{
    return escort_t(p, n, t, NULL);
}

/* ---- Solvers --------------------------------------------------------------------------------- */

static void report(temper_iterations *out, struct iterations iterations)
{
    if (out)
        *out = (temper_iterations){.updates = iterations.updates, .converged = iterations.converged};
}

double temper_log_partition_counted(const double *a, size_t n, double t, temper_iterations *iterations)
{
    struct partition family = partition_solve(a, n, t);
    report(iterations, (struct iterations){family.updates, !isnan(family.lambda)});
    return family.max + family.lambda;
}

double temper_log_partition_algorithm1(const double *a, size_t n, double t, double tolerance, size_t limit,
                                       temper_iterations *iterations)
{
    struct iterations done;
    double value = algorithm1(a, n, t, (struct stop_rule){tolerance, limit}, &done);
    report(iterations, done);
    return value;
}

double temper_log_partition_algorithm2(double a, double t, double tolerance, size_t limit,
                                       temper_iterations *iterations)
{
    struct iterations done;
    double value = algorithm2(a, t, (struct stop_rule){tolerance, limit}, &done);
    report(iterations, done);
    return value;
}

double temper_log_partition_bisection(const double *a, size_t n, double t, temper_iterations *iterations)
{
    struct iterations done;
    double value = bisection(a, n, t, &done);
    report(iterations, done);
    return value;
}

double temper_log_partition_closed_form(double a, double t)
{
    return partition_closed(a, t);
}
