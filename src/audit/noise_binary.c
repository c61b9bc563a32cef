/* noise_two: Fisher scoring with a damped step; some thousandths of a second for 10,000 rows. */
#include "audit/noise_binary.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
    SLOPE, /* of each evidence, in standard deviations */
    SHIFT = TWO_EVIDENCE,
    BEND, /* logarithm of the exponent of 1 + |z| */
    RATE, /* two, log odds of twice the rate: beyond 1/2 a label would speak against itself */
    PARAMETERS = RATE + 2,
    MOST_ROWS = 125000,
    MOST_STEPS = 60,
};

/* Normal priors: weak but for the bend, which could else explain away any rate, and for the rate
 * where it is known. */
struct prior {
    double mean[PARAMETERS], spread[PARAMETERS];
};
static const struct prior weak = {{0, 0, 0, 0, 0, -1, -1}, {10, 10, 10, 10, 0.3, 4, 4}};
static const double most_sure_rate = 0.49;
static const double start[PARAMETERS] = {1, 1, 1, 0, 0, -0.5, -0.5};

/* Nats by which rates of their own have to be likelier than one: under even noise they gained up to
 * 3 on 26 sets. */
static const double worth_two_rates = 5;
static const double range = 1.645; /* standard deviations on either side: 90 % */

struct search {
    const struct binary_rows *rows;
    size_t count; /* rows that are gone through */
    double unit[TWO_EVIDENCE];
    bool one_rate;
    struct prior prior;
    double theta[PARAMETERS], exponent; /* exp of the bend */
    double loss;                        /* minus the logarithm of likelihood and prior */
    double gradient[PARAMETERS], fisher[PARAMETERS][PARAMETERS];
};

/* ---- One row --------------------------------------------------------------------------------- */

/* sign(z) ((1 + |z|)^e - 1) / e, e = exp(bend), and its derivatives by z and by the bend. */
struct bent {
    double value, by_z, by_bend;
};

static struct bent bent_at(double z, double e)
{
    double a = fabs(z), l = log1p(a), power = exp(e * l);
    double value = (power - 1) / e;
    return (struct bent){copysign(value, z), power / (1 + a), copysign(power * l - value, z)};
}

double noise_binary_known(const struct noise_binary *model, const double *evidence)
{
    double z = model->shift;
    for (size_t i = 0; i < TWO_EVIDENCE; i++)
        z += model->slope[i] * evidence[i];
    return z;
}

double noise_binary_row(const struct noise_binary *model, const double *evidence, uint32_t given, double *out)
{
    double logit = bent_at(noise_binary_known(model, evidence), exp(model->bend)).value;
    double tail = log1p(exp(-fabs(logit))); /* of the likelier class, minus log q */
    out[0] = -fmax(logit, 0) - tail + log(given == 0 ? 1 - model->rate[0] : model->rate[0]);
    out[1] = fmin(logit, 0) - tail + log(given == 1 ? 1 - model->rate[1] : model->rate[1]);
    double top = fmax(out[0], out[1]);
    return top + log1p(exp(fmin(out[0], out[1]) - top));
}

/* ---- All rows -------------------------------------------------------------------------------- */

static double log_odds_of(double rate)
{
    return log(2 * rate / (1 - 2 * rate));
}

static double rate_of(double log_odds)
{
    return 0.5 / (1 + exp(-log_odds));
}

static void add_row(struct search *search, size_t row, const double rate[2])
{
    const double *theta = search->theta, *evidence = search->rows->evidence + TWO_EVIDENCE * row;
    double x[TWO_EVIDENCE], z = theta[SHIFT];
    for (size_t i = 0; i < TWO_EVIDENCE; i++) {
        x[i] = evidence[i] / search->unit[i];
        z += theta[SLOPE + i] * x[i];
    }
    struct bent bent = bent_at(z, search->exponent);
    double tail = exp(-fabs(bent.value)), more = 1 / (1 + tail), less = tail * more;
    double q = bent.value > 0 ? more : less, other = bent.value > 0 ? less : more;
    double p = rate[0] * other + (1 - rate[1]) * q;
    p = fmin(fmax(p, 1e-12), 1 - 1e-12); /* of the label 1 */
    double by_logit = (1 - rate[0] - rate[1]) * q * other;
    double slope = search->rows->given[row] == 1 ? -1 / p : 1 / (1 - p);
    double d[PARAMETERS] = {[SHIFT] = by_logit * bent.by_z,
                            [BEND] = by_logit * bent.by_bend,
                            [RATE] = other * rate[0] * (1 - 2 * rate[0]),
                            [RATE + 1] = -q * rate[1] * (1 - 2 * rate[1])};
    for (size_t i = 0; i < TWO_EVIDENCE; i++)
        d[SLOPE + i] = by_logit * bent.by_z * x[i];
    if (search->one_rate) {
        d[RATE] += d[RATE + 1];
        d[RATE + 1] = 0;
    }
    search->loss -= log(search->rows->given[row] == 1 ? p : 1 - p);
    for (size_t i = 0; i < PARAMETERS; i++) {
        search->gradient[i] += slope * d[i];
        for (size_t j = 0; j <= i; j++)
            search->fisher[i][j] += d[i] * d[j] / (p * (1 - p));
    }
}

static void add_prior(struct search *search)
{
    for (size_t i = 0; i < PARAMETERS - (search->one_rate ? 1 : 0); i++) {
        double spread = search->prior.spread[i];
        double off = (search->theta[i] - search->prior.mean[i]) / spread;
        search->loss += off * off / 2;
        search->gradient[i] += off / spread;
        search->fisher[i][i] += 1 / (spread * spread);
    }
    if (search->one_rate)
        search->fisher[RATE + 1][RATE + 1] = 1;
}

static void go_through(struct search *search)
{
    if (search->one_rate)
        search->theta[RATE + 1] = search->theta[RATE];
    const double rate[2] = {rate_of(search->theta[RATE]), rate_of(search->theta[RATE + 1])};
    /* What was left out counts as what was taken. */
    double share = (double)search->rows->rows / (double)search->count;
    search->exponent = exp(search->theta[BEND]);
    search->loss = 0;
    memset(search->gradient, 0, sizeof search->gradient);
    memset(search->fisher, 0, sizeof search->fisher);
    for (size_t i = 0; i < search->count; i++)
        add_row(search, i * search->rows->rows / search->count, rate);
    search->loss *= share;
    for (size_t i = 0; i < PARAMETERS; i++) {
        search->gradient[i] *= share;
        for (size_t j = 0; j <= i; j++)
            search->fisher[i][j] *= share;
    }
    add_prior(search);
}

/* ---- The likeliest parameters ---------------------------------------------------------------- */

/* Solves (A + damping diag A) x = b by Cholesky's factor; A is positive definite by its prior. */
static void solve(const struct search *search, double damping, const double *b, double *x)
{
    double l[PARAMETERS][PARAMETERS];
    for (size_t i = 0; i < PARAMETERS; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = search->fisher[i][j] * (i == j ? 1 + damping : 1);
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

static void climb(struct search *search)
{
    double damping = 0.01;
    go_through(search);
    for (size_t i = 0; i < MOST_STEPS && damping < 1e6; i++) {
        struct search before = *search;
        double step[PARAMETERS];
        solve(&before, damping, before.gradient, step);
        for (size_t j = 0; j < PARAMETERS; j++)
            search->theta[j] = before.theta[j] - step[j];
        go_through(search);
        if (search->loss <= before.loss) {
            damping /= 10;
            if (before.loss - search->loss < 1e-2) /* nats, of all rows together */
                return;
        } else {
            *search = before;
            damping = fmax(damping * 10, 1e-3);
        }
    }
}

/* By how much a step would make the loss smaller, were it a parabola. */
static double gain_of_step(struct search *search)
{
    double step[PARAMETERS], gain = 0;
    go_through(search);
    solve(search, 0, search->gradient, step);
    for (size_t i = 0; i < PARAMETERS; i++)
        gain += search->gradient[i] * step[i] / 2;
    return gain;
}

static struct noise_binary model_at(const struct search *search, const double *theta)
{
    size_t second = search->one_rate ? RATE : RATE + 1;
    struct noise_binary model = {
        .shift = theta[SHIFT], .bend = theta[BEND], .rate = {rate_of(theta[RATE]), rate_of(theta[second])}};
    for (size_t i = 0; i < TWO_EVIDENCE; i++)
        model.slope[i] = theta[SLOPE + i] / search->unit[i];
    return model;
}

/* Along the parameters that go with the share of wrong labels, as far as the likelihood lets. */
static void find_range(const struct search *search, struct noise_binary_range *out)
{
    double by[PARAMETERS] = {0}, with[PARAMETERS], at[PARAMETERS], square = 0;
    for (size_t i = RATE; i < PARAMETERS; i++)
        by[i] = rate_of(search->theta[i]) * (1 - 2 * rate_of(search->theta[i]));
    if (search->one_rate)
        by[RATE + 1] = 0;
    solve(search, 0, by, with);
    for (size_t i = 0; i < PARAMETERS; i++)
        square += by[i] * with[i];
    double unit = square > 0 ? range / sqrt(square) : 0;
    out->best = model_at(search, search->theta);
    for (size_t i = 0; i < PARAMETERS; i++)
        at[i] = search->theta[i] - unit * with[i];
    out->low = model_at(search, at);
    for (size_t i = 0; i < PARAMETERS; i++)
        at[i] = search->theta[i] + unit * with[i];
    out->high = model_at(search, at);
}

static double spread_of(const struct binary_rows *rows, size_t which)
{
    double mean = 0, sum = 0;
    for (size_t row = 0; row < rows->rows; row++)
        mean += rows->evidence[TWO_EVIDENCE * row + which] / (double)rows->rows;
    for (size_t row = 0; row < rows->rows; row++) {
        double off = rows->evidence[TWO_EVIDENCE * row + which] - mean;
        sum += off * off / (double)rows->rows;
    }
    return sum > 0 && isfinite(sum) ? sqrt(sum) : 1;
}

/* What the surest rows tell of the rate, in its log odds. */
static struct prior prior_of(const struct binary_rows *rows)
{
    struct prior prior = weak;
    double rate = rows->sure_error > 0 ? fmin(rows->sure_rate, most_sure_rate) : 0;
    for (size_t i = RATE; rate > 0 && i < PARAMETERS; i++) {
        prior.mean[i] = log_odds_of(rate);
        prior.spread[i] = fmin(rows->sure_error / (rate * (1 - 2 * rate)), weak.spread[i]);
    }
    return prior;
}

static void begin_at(struct search *search, const struct noise_binary *model)
{
    for (size_t i = 0; i < TWO_EVIDENCE; i++)
        search->theta[SLOPE + i] = model->slope[i] * search->unit[i];
    search->theta[SHIFT] = model->shift;
    search->theta[BEND] = model->bend;
    search->theta[RATE] = log_odds_of((model->rate[0] + model->rate[1]) / 2);
}

void noise_binary_fit(const struct binary_rows *rows, const struct noise_binary *near, struct noise_binary_range *out)
{
    struct search one = {.rows = rows,
                         .count = rows->rows < MOST_ROWS ? rows->rows : (size_t)MOST_ROWS,
                         .one_rate = true,
                         .prior = prior_of(rows)};
    for (size_t i = 0; i < TWO_EVIDENCE; i++)
        one.unit[i] = spread_of(rows, i);
    memcpy(one.theta, start, sizeof start);
    if (near)
        begin_at(&one, near);
    climb(&one);
    struct search two = one;
    two.one_rate = false;
    if (gain_of_step(&two) >= worth_two_rates / 4) /* of the first step; most is gained by it */
        climb(&two);
    find_range(one.loss - two.loss >= worth_two_rates ? &two : &one, out);
}
