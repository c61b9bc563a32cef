/* margin: the two-temperature loss of two classes as a function of the margin m. */
#include <math.h>

#include "tempered/log_partition.h"
#include "tempered/losses.h"
#include "tempered/tempered_functions.h"

/* log p of the given label and log q of the other. */
struct pair {
    double log_p, log_q;
};

static struct pair margin_pair(double margin, double t2)
{
    const double a[2] = {margin, 0}; /* m/2, -m/2 shifted by m/2: nothing is rounded */
    struct partition family = partition_solve(a, 2, t2);
    return (struct pair){partition_log_p(&family, 0, margin), partition_log_p(&family, 1, 0)};
}

double margin_probability(double margin, double t2)
{
    return exp(margin_pair(margin, t2).log_p);
}

/* The logarithm of the escort q^t2/(p^t2 + q^t2) = p^-t2 dp/dm of the class with log_q. */
static double log_share(double log_q, double log_p, double t2)
{
    double x = t2 * (log_p - log_q);
    return x > 0 ? -x - log1p(exp(-x)) : -log1p(exp(x));
}

/* With the escorts r of the label and v of the other class, the formula of docs/math.md is
 * v^2 [(t1 - t2 v) p^(2 t2-t1-1) + t2 r p^(2 t2-t1)/q]: each power is finite where its term is. */
static double margin_curvature(struct pair pair, double log_v, double t1, double t2)
{
    double log_r = log_share(pair.log_p, pair.log_q, t2);
    /* t1 - t2 v, from the smaller of r and v = 1 - r */
    double sign = log_r < log_v ? t1 - t2 + t2 * exp(log_r) : t1 - t2 * exp(log_v);
    double bend = sign * exp(2 * log_v + (2 * t2 - t1 - 1) * pair.log_p);
    return bend + t2 * exp(2 * log_v - pair.log_q + log_r + (2 * t2 - t1) * pair.log_p);
}

struct margin_loss tempered_margin_loss(double margin, double t1, double t2)
{
    struct pair pair = margin_pair(margin, t2);
    struct margin_loss loss = {.value = fabs(stretch_exp(pair.log_p, 1 - t1))};
    if (pair.log_p == -INFINITY && t2 >= 1 && !(t1 < t2)) /* a margin of -infinity: the limits */
        return (struct margin_loss){loss.value, t1 == t2 ? -1 : -INFINITY, t1 == t2 ? 0 : INFINITY};
    if (pair.log_p == -INFINITY || pair.log_q == -INFINITY)
        return loss; /* outside the support, or certain: flat */
    double log_v = log_share(pair.log_q, pair.log_p, t2);
    loss.slope = -exp(log_v + (t2 - t1) * pair.log_p);
    loss.curvature = margin_curvature(pair, log_v, t1, t2);
    return loss;
}
