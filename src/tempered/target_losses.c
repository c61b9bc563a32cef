/* target_losses: the two-temperature and the bi-tempered loss of distributions, class by class in doubles. */
#include "tempered/target_losses.h"

#include <math.h>

#include "tempered/log_partition.h"
#include "tempered/loss_family.h"
#include "tempered/tempered_functions.h"

/* p^power, 0 where p is 0, whatever the power. */
static double power_of(double log_p, double power)
{
    return log_p == -INFINITY ? 0 : exp(power * log_p);
}

/* -y log_t1(p/y); nothing for y = 0. */
static struct target_term tempered_term(temper_loss_spec loss, double log_p, double y)
{
    if (!(y > 0))
        return (struct target_term){0, 0};
    double log_y = log(y);
    return (struct target_term){
        .loss = -y * stretch_exp(log_p - log_y, 1 - loss.t1),
        .pull = log_p == -INFINITY ? 0 : exp(loss.t1 * log_y + (loss.t2 - loss.t1) * log_p),
    };
}

/* With E(log p, s) = (p^s - 1)/s: y (E(log y, 1-t1) - E(log p, 1-t1)) + (p^(2-t1) - y^(2-t1))/(2-t1); for y = 0 the
 * power of p alone. */
static struct target_term bregman_term(temper_loss_spec loss, double log_p, double y)
{
    const double s = 1 - loss.t1, gap = loss.t2 - loss.t1;
    if (!(y > 0))
        return (struct target_term){power_of(log_p, 1 + s) / (1 + s), power_of(log_p, 1 + gap)};
    double log_y = log(y);
    double of_logs = y * (stretch_exp(log_y, s) - stretch_exp(log_p, s));
    return (struct target_term){
        .loss = of_logs + (power_of(log_p, 1 + s) - power_of(log_y, 1 + s)) / (1 + s),
        .pull = power_of(log_p, gap) * (exp(log_p) - y),
    };
}

struct target_term target_term(temper_loss_spec loss, double log_p, double y)
{
    return loss.method == TEMPER_BREGMAN ? bregman_term(loss, log_p, y) : tempered_term(loss, log_p, y);
}

bool loss_takes_targets(temper_loss_spec loss)
{
    return loss_is_two_temperature(loss) || (loss.method == TEMPER_BREGMAN && loss.t1 < 2);
}

/* The gradient, in which `gradient` holds the pulls on entry. */
static void target_gradient(const struct partition *family, const double *a, size_t n, double pulls, double *gradient,
                            double sign)
{
    double log_share = partition_log_share(family, a, n);
    for (size_t c = 0; c < n; c++) {
        double log_p = partition_log_p(family, c, a[c]);
        double escort = power_of(log_p - family->log_top, family->t) * exp(-log_share);
        gradient[c] = sign * (escort * pulls - gradient[c]);
    }
}

double target_loss(temper_loss_spec loss, const double *a, size_t n, const double *y, double *gradient)
{
    const struct partition family = partition_solve(a, n, loss.t2);
    double sum = 0, pulls = 0;
    for (size_t c = 0; c < n; c++) {
        struct target_term term = target_term(loss, partition_log_p(&family, c, a[c]), y[c]);
        sum += term.loss;
        pulls += term.pull;
        if (gradient)
            gradient[c] = term.pull;
    }
    if (gradient)
        target_gradient(&family, a, n, pulls, gradient, loss.method == TEMPER_BREGMAN ? -1 : 1);
    return sum;
}
