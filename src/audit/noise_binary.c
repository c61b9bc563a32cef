/* noise_binary: maximum a posteriori estimates by Fisher scoring with Levenberg-Marquardt damping; some milliseconds
 * for 10,000 rows. */
#include "audit/noise_binary.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
    SLOPE, /* of each kind of evidence, per standard deviation */
    SHIFT = BINARY_EVIDENCE,
    EXPONENT, /* the logarithm of the exponent of 1 + |z| */
    RATE,     /* two, as log odds of twice the rate: beyond 1/2 a label would be evidence against itself */
    PARAMETERS = RATE + 2,
    MOST_ROWS = 125000, /* of more rows, an evenly spread sample */
    MOST_STEPS = 60,
};

/* Independent normal priors of the parameters. They are weak except for the exponent, which could otherwise explain
 * any noise rate, and for the rates where the surest rows suggest one. */
struct noise_prior {
    double mean[PARAMETERS], spread[PARAMETERS];
};
static const struct noise_prior weak = {{0, 0, 0, 0, 0, -1, -1}, {10, 10, 10, 10, 0.3, 4, 4}};
static const double most_sure_rate = 0.49;
static const double start[PARAMETERS] = {1, 1, 1, 0, 0, -0.5, -0.5};

/* Nats by which two rates have to be likelier than one: under uniform noise they gained up to 3 on 26 data sets. */
static const double two_rates_gain = 5;
static const double range = 1.645; /* standard deviations on either side: 90 % */

/* The model in progress: parameters, and the loss with its derivatives there. Small enough to be copied, which is
 * how a rejected step is undone. */
struct noise_fit {
    const struct noise_binary_rows *rows;
    size_t count;                 /* of the sample */
    double unit[BINARY_EVIDENCE]; /* standard deviations of the evidence */
    bool one_rate;                /* for both classes */
    struct noise_prior prior;
    double theta[PARAMETERS], exponent;
    double loss; /* minus the logarithm of likelihood times prior */
    double gradient[PARAMETERS], fisher[PARAMETERS][PARAMETERS];
};

/* ---- One row --------------------------------------------------------------------------------- */

/* h(z) = sign(z) ((1 + |z|)^e - 1) / e, and its derivatives by z and by log e. */
struct power_link {
    double value, by_z, by_log_e;
};

/* For e = 1 the identity; log1p keeps the digits of small z. */
static struct power_link link_at(double z, double e)
{
    double a = fabs(z), l = log1p(a), power = exp(e * l);
    double value = (power - 1) / e;
    return (struct power_link){copysign(value, z), power / (1 + a), copysign(power * l - value, z)};
}

/* Before the power function, which is monotonic and does not change the order of the rows. */
double noise_binary_logit(const struct noise_binary *model, const double *evidence)
{
    double z = model->shift;
    for (size_t i = 0; i < BINARY_EVIDENCE; i++)
        z += model->slope[i] * evidence[i];
    return z;
}

/* Sums of logarithms, so that the smaller of two very different probabilities is not rounded to 0. */
double noise_binary_row(const struct noise_binary *model, const double *evidence, uint32_t given, double *out)
{
    double logit = link_at(noise_binary_logit(model, evidence), exp(model->log_exponent)).value;
    double tail = log1p(exp(-fabs(logit))); /* -log q of the likelier class */
    out[0] = -fmax(logit, 0) - tail + log(given == 0 ? 1 - model->rate[0] : model->rate[0]);
    out[1] = fmin(logit, 0) - tail + log(given == 1 ? 1 - model->rate[1] : model->rate[1]);
    double top = fmax(out[0], out[1]);
    return top + log1p(exp(fmin(out[0], out[1]) - top));
}

/* ---- All rows -------------------------------------------------------------------------------- */

/* The parameter of a rate in (0, 1/2): the log odds of twice the rate. */
static double log_odds_of(double rate)
{
    return log(2 * rate / (1 - 2 * rate));
}

/* The rate of a parameter, the inverse of log_odds_of; always in (0, 1/2). */
static double rate_of(double log_odds)
{
    return 0.5 / (1 + exp(-log_odds));
}

/* Adds the negative log likelihood of one label, its gradient, and its Fisher information. p is the probability of the
 * label 1, q that of the second class; derivatives by the parameters are those of p. */
static void add_row(struct noise_fit *fit, size_t row, const double rate[2])
{
    const double *theta = fit->theta, *evidence = fit->rows->evidence + BINARY_EVIDENCE * row;
    double x[BINARY_EVIDENCE], z = theta[SHIFT];
    for (size_t i = 0; i < BINARY_EVIDENCE; i++) {
        x[i] = evidence[i] / fit->unit[i];
        z += theta[SLOPE + i] * x[i];
    }
    struct power_link link = link_at(z, fit->exponent);
    /* Logistic function of the link and its complement, without cancellation on either side. */
    double tail = exp(-fabs(link.value)), more = 1 / (1 + tail), less = tail * more;
    double q = link.value > 0 ? more : less, other = link.value > 0 ? less : more;
    double p = rate[0] * other + (1 - rate[1]) * q;
    p = fmin(fmax(p, 1e-12), 1 - 1e-12); /* of the label 1 */
    /* dp/dlogit; the chain rule continues with the derivatives of the link. */
    double by_logit = (1 - rate[0] - rate[1]) * q * other;
    double slope = fit->rows->given[row] == 1 ? -1 / p : 1 / (1 - p);
    double d[PARAMETERS] = {[SHIFT] = by_logit * link.by_z,
                            [EXPONENT] = by_logit * link.by_log_e,
                            [RATE] = other * rate[0] * (1 - 2 * rate[0]),
                            [RATE + 1] = -q * rate[1] * (1 - 2 * rate[1])};
    for (size_t i = 0; i < BINARY_EVIDENCE; i++)
        d[SLOPE + i] = by_logit * link.by_z * x[i];
    /* Both rates are the first parameter: its derivative is the sum. */
    if (fit->one_rate) {
        d[RATE] += d[RATE + 1];
        d[RATE + 1] = 0;
    }
    fit->loss -= log(fit->rows->given[row] == 1 ? p : 1 - p);
    for (size_t i = 0; i < PARAMETERS; i++) {
        fit->gradient[i] += slope * d[i];
        for (size_t j = 0; j <= i; j++)
            fit->fisher[i][j] += d[i] * d[j] / (p * (1 - p));
    }
}

/* Adds minus the log density of the priors. If both classes have one rate, the parameter of the second is not free:
 * a unit diagonal keeps the matrix regular, and its gradient of 0 keeps the step at 0. */
static void add_prior(struct noise_fit *fit)
{
    for (size_t i = 0; i < PARAMETERS - (fit->one_rate ? 1 : 0); i++) {
        double spread = fit->prior.spread[i];
        double off = (fit->theta[i] - fit->prior.mean[i]) / spread;
        fit->loss += off * off / 2;
        fit->gradient[i] += off / spread;
        fit->fisher[i][i] += 1 / (spread * spread);
    }
    if (fit->one_rate)
        fit->fisher[RATE + 1][RATE + 1] = 1;
}

/* Computes loss, gradient and Fisher information at theta. Sums over the sample are scaled to the number of all
 * rows, so that the weight of the priors does not depend on the sample size. */
static void sum_rows(struct noise_fit *fit)
{
    if (fit->one_rate)
        fit->theta[RATE + 1] = fit->theta[RATE];
    const double rate[2] = {rate_of(fit->theta[RATE]), rate_of(fit->theta[RATE + 1])};
    double share = (double)fit->rows->rows / (double)fit->count;
    fit->exponent = exp(fit->theta[EXPONENT]);
    fit->loss = 0;
    memset(fit->gradient, 0, sizeof fit->gradient);
    memset(fit->fisher, 0, sizeof fit->fisher);
    for (size_t i = 0; i < fit->count; i++)
        add_row(fit, i * fit->rows->rows / fit->count, rate);
    fit->loss *= share;
    for (size_t i = 0; i < PARAMETERS; i++) {
        fit->gradient[i] *= share;
        for (size_t j = 0; j <= i; j++)
            fit->fisher[i][j] *= share;
    }
    add_prior(fit);
}

/* ---- The likeliest parameters ---------------------------------------------------------------- */

/* Solves (A + damping diag A) x = b by Cholesky factorisation, A being the Fisher information, of which the lower
 * triangle is filled. The priors make A positive definite; the bound of the pivot is against rounding. */
static void solve(const struct noise_fit *fit, double damping, const double *b, double *x)
{
    double l[PARAMETERS][PARAMETERS];
    for (size_t i = 0; i < PARAMETERS; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = fit->fisher[i][j] * (i == j ? 1 + damping : 1);
            for (size_t k = 0; k < j; k++)
                sum -= l[i][k] * l[j][k];
            l[i][j] = i == j ? sqrt(fmax(sum, 1e-12)) : sum / l[j][j];
        }
    for (size_t i = 0; i < PARAMETERS; i++) {
        x[i] = b[i];
        for (size_t k = 0; k < i; k++)
            x[i] -= l[i][k] * x[k];
        x[i] /= l[i][i];
    }
    for (size_t i = PARAMETERS; i-- > 0;) {
        for (size_t k = i + 1; k < PARAMETERS; k++)
            x[i] -= l[k][i] * x[k];
        x[i] /= l[i][i];
    }
}

/* Minimises the loss from theta. Damping falls after a step that improves the loss and grows after one that does
 * not, which is undone. Ends when a step gains less than 0.01 nats on all rows: far less than the model selection
 * distinguishes. */
static void maximise(struct noise_fit *fit)
{
    double damping = 0.01;
    sum_rows(fit);
    for (size_t i = 0; i < MOST_STEPS && damping < 1e6; i++) {
        struct noise_fit before = *fit;
        double step[PARAMETERS];
        solve(&before, damping, before.gradient, step);
        for (size_t j = 0; j < PARAMETERS; j++)
            fit->theta[j] = before.theta[j] - step[j];
        sum_rows(fit);
        /* Accepted: closer to an undamped Fisher step next time. */
        if (fit->loss <= before.loss) {
            damping /= 10;
            if (before.loss - fit->loss < 1e-2)
                return;
        } else {
            *fit = before;
            damping = fmax(damping * 10, 1e-3);
        }
    }
}

/* The decrease of the loss that the quadratic model predicts for an undamped step: g' A^-1 g / 2. Cheaper than
 * fitting. */
static double predicted_gain(struct noise_fit *fit)
{
    double step[PARAMETERS], gain = 0;
    sum_rows(fit);
    solve(fit, 0, fit->gradient, step);
    for (size_t i = 0; i < PARAMETERS; i++)
        gain += fit->gradient[i] * step[i] / 2;
    return gain;
}

/* Converts parameters, which are per standard deviation of the evidence, to the units of the evidence. */
static struct noise_binary model_at(const struct noise_fit *fit, const double *theta)
{
    size_t second = fit->one_rate ? RATE : RATE + 1;
    struct noise_binary model = {
        .shift = theta[SHIFT], .log_exponent = theta[EXPONENT], .rate = {rate_of(theta[RATE]), rate_of(theta[second])}};
    for (size_t i = 0; i < BINARY_EVIDENCE; i++)
        model.slope[i] = theta[SLOPE + i] / fit->unit[i];
    return model;
}

/* Sets *out to the models at the estimate and at both ends of the 90 % range of the sum of the rates, by the delta
 * method with the inverse Fisher information as covariance. At the ends, the other parameters take their conditional
 * means. */
static void find_range(const struct noise_fit *fit, struct noise_binary_range *out)
{
    /* by: the derivative of the sum of the rates; with: its covariance with every parameter. */
    double by[PARAMETERS] = {0}, with[PARAMETERS], at[PARAMETERS], square = 0;
    for (size_t i = RATE; i < PARAMETERS; i++)
        by[i] = rate_of(fit->theta[i]) * (1 - 2 * rate_of(fit->theta[i]));
    if (fit->one_rate)
        by[RATE + 1] = 0;
    solve(fit, 0, by, with);
    for (size_t i = 0; i < PARAMETERS; i++)
        square += by[i] * with[i];
    double unit = square > 0 ? range / sqrt(square) : 0;
    out->best = model_at(fit, fit->theta);
    for (size_t i = 0; i < PARAMETERS; i++)
        at[i] = fit->theta[i] - unit * with[i];
    out->low = model_at(fit, at);
    for (size_t i = 0; i < PARAMETERS; i++)
        at[i] = fit->theta[i] + unit * with[i];
    out->high = model_at(fit, at);
}

/* The standard deviation of one kind of evidence, the unit of its slope; 1 if it is constant, as votes that are not
 * used. */
static double spread_of(const struct noise_binary_rows *rows, size_t which)
{
    double mean = 0, sum = 0;
    for (size_t row = 0; row < rows->rows; row++)
        mean += rows->evidence[BINARY_EVIDENCE * row + which] / (double)rows->rows;
    for (size_t row = 0; row < rows->rows; row++) {
        double off = rows->evidence[BINARY_EVIDENCE * row + which] - mean;
        sum += off * off / (double)rows->rows;
    }
    return sum > 0 && isfinite(sum) ? sqrt(sum) : 1;
}

/* The weak priors, or those of the rates by the error rate of the surest rows: its standard error is converted to
 * the scale of the log odds by their derivative. */
static struct noise_prior prior_of(const struct noise_binary_rows *rows)
{
    struct noise_prior prior = weak;
    double rate = rows->sure_error > 0 ? fmin(rows->sure_rate, most_sure_rate) : 0;
    for (size_t i = RATE; rate > 0 && i < PARAMETERS; i++) {
        prior.mean[i] = log_odds_of(rate);
        prior.spread[i] = fmin(rows->sure_error / (rate * (1 - 2 * rate)), weak.spread[i]);
    }
    return prior;
}

/* Starts from a model of similar rows. Both rates start at their mean, as the first fit has one rate. */
static void start_from(struct noise_fit *fit, const struct noise_binary *model)
{
    for (size_t i = 0; i < BINARY_EVIDENCE; i++)
        fit->theta[SLOPE + i] = model->slope[i] * fit->unit[i];
    fit->theta[SHIFT] = model->shift;
    fit->theta[EXPONENT] = model->log_exponent;
    fit->theta[RATE] = log_odds_of((model->rate[0] + model->rate[1]) / 2);
}

/* Fits one rate for both classes, then two rates if the first step promises enough; two rates are kept if they are
 * likelier by two_rates_gain nats. */
void noise_binary_fit(const struct noise_binary_rows *rows, const struct noise_binary *near,
                      struct noise_binary_range *out)
{
    struct noise_fit one = {.rows = rows,
                            .count = rows->rows < MOST_ROWS ? rows->rows : (size_t)MOST_ROWS,
                            .one_rate = true,
                            .prior = prior_of(rows)};
    for (size_t i = 0; i < BINARY_EVIDENCE; i++)
        one.unit[i] = spread_of(rows, i);
    memcpy(one.theta, start, sizeof start);
    if (near)
        start_from(&one, near);
    maximise(&one);
    /* Two rates start from the estimate with one. */
    struct noise_fit two = one;
    two.one_rate = false;
    if (predicted_gain(&two) >= two_rates_gain / 4) /* the first step gains most of it */
        maximise(&two);
    find_range(one.loss - two.loss >= two_rates_gain ? &two : &one, out);
}
