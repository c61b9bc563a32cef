/* row_prior: shares of the classes, or a model's probabilities with a bias for each class and a sharpness. */
#include "audit/annotators/row_prior.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static const double MOST_SHARPNESS = 10;
enum { HALVINGS = 6 };

double log_sum_exp(const double *x, size_t n)
{
    double most = x[0], sum = 0;
    for (size_t i = 1; i < n; i++)
        most = x[i] > most ? x[i] : most;
    for (size_t i = 0; i < n; i++)
        sum += exp(x[i] - most);
    return most + log(sum);
}

temper_status row_prior_new(size_t items, size_t classes, const bool *counts, struct row_prior *out,
                            temper_error *error)
{
    *out = (struct row_prior){.items = items, .classes = classes, .counts = counts};
    out->bias = mem_alloc(classes, sizeof *out->bias);
    out->work = mem_alloc(classes, 3 * sizeof *out->work);
    if (!out->bias || !out->work) {
        row_prior_free(out);
        return error_no_memory(error);
    }
    for (size_t c = 0; c < classes; c++)
        out->bias[c] = -log((double)classes);
    out->penalty = -(double)classes * log((double)classes);
    return TEMPER_OK;
}

void row_prior_free(struct row_prior *prior)
{
    mem_free(prior->bias);
    mem_free(prior->work);
    prior->bias = prior->work = NULL;
}

/* The sharpness of another model is no better start than 1. */
void row_prior_set_evidence(struct row_prior *prior, const double *evidence)
{
    prior->evidence = evidence;
    prior->sharpness = evidence ? 1 : 0;
}

void row_prior_log(const struct row_prior *prior, size_t item, double *out)
{
    size_t classes = prior->classes;
    if (!prior->evidence) {
        memcpy(out, prior->bias, classes * sizeof *out);
        return;
    }
    const double *evidence = prior->evidence + item * classes;
    for (size_t c = 0; c < classes; c++)
        out[c] = prior->bias[c] + prior->sharpness * evidence[c];
    double total = log_sum_exp(out, classes);
    for (size_t c = 0; c < classes; c++)
        out[c] -= total;
}

/* ---- Shares ---------------------------------------------------------------------------------- */

/* sum[c]: the expected number of items of each class, plus one. */
static double count_classes(const struct row_prior *prior, const double *posterior, double *sum)
{
    size_t classes = prior->classes;
    double items = (double)classes;
    for (size_t c = 0; c < classes; c++)
        sum[c] = 1;
    for (size_t i = 0; i < prior->items; i++) {
        if (!prior->counts[i])
            continue;
        items += 1;
        for (size_t c = 0; c < classes; c++)
            sum[c] += posterior[i * classes + c];
    }
    return items;
}

/* The shares that maximise the expected log likelihood. */
static void fit_shares(struct row_prior *prior, const double *posterior)
{
    double items = count_classes(prior, posterior, prior->work);
    prior->penalty = 0;
    for (size_t c = 0; c < prior->classes; c++) {
        prior->bias[c] = log(prior->work[c] / items);
        prior->penalty += prior->bias[c];
    }
}

/* ---- The model ------------------------------------------------------------------------------- */

/* Expected log likelihood as a function of the sharpness, with its derivatives. */
struct sharpness_fit {
    double value, slope, curvature;
};

static struct sharpness_fit evaluate_sharpness(const struct row_prior *prior, const double *posterior)
{
    struct sharpness_fit fit = {0};
    size_t classes = prior->classes;
    double *p = prior->work;
    for (size_t i = 0; i < prior->items; i++) {
        const double *q = posterior + i * classes, *e = prior->evidence + i * classes;
        double expected = 0, mean = 0, square = 0;
        if (!prior->counts[i])
            continue;
        row_prior_log(prior, i, p);
        for (size_t c = 0; c < classes; c++) {
            double probability = exp(p[c]);
            fit.value += q[c] * p[c];
            expected += q[c] * e[c];
            mean += probability * e[c];
            square += probability * e[c] * e[c];
        }
        fit.slope += expected - mean;
        fit.curvature -= square - mean * mean;
    }
    return fit;
}

/* A Newton step, halved until the likelihood does not fall. */
static void step_sharpness(struct row_prior *prior, const double *posterior)
{
    double start = prior->sharpness;
    struct sharpness_fit now = evaluate_sharpness(prior, posterior);
    if (!(now.curvature < 0))
        return;
    double step = -now.slope / now.curvature;
    for (int i = 0; i < HALVINGS; i++) {
        prior->sharpness = fmin(fmax(start + step, 0), MOST_SHARPNESS);
        if (evaluate_sharpness(prior, posterior).value >= now.value)
            return;
        step /= 2;
    }
    prior->sharpness = start;
}

/* Generalised iterative scaling of the biases. The Dirichlet prior is one item more in each class, for which the model
 * has no evidence. */
static void step_bias(struct row_prior *prior, const double *posterior)
{
    size_t classes = prior->classes;
    double *wanted = prior->work, *have = prior->work + classes, *p = prior->work + 2 * classes;
    double total = log_sum_exp(prior->bias, classes);
    count_classes(prior, posterior, wanted);
    for (size_t c = 0; c < classes; c++)
        have[c] = (double)classes * exp(prior->bias[c] - total);
    for (size_t i = 0; i < prior->items; i++) {
        if (!prior->counts[i])
            continue;
        row_prior_log(prior, i, p);
        for (size_t c = 0; c < classes; c++)
            have[c] += exp(p[c]);
    }
    for (size_t c = 0; c < classes; c++)
        prior->bias[c] += log(wanted[c] / have[c]);
    total = log_sum_exp(prior->bias, classes);
    prior->penalty = 0;
    for (size_t c = 0; c < classes; c++) {
        prior->bias[c] -= total;
        prior->penalty += prior->bias[c];
    }
}

void row_prior_fit(struct row_prior *prior, const double *posterior)
{
    if (!prior->evidence) {
        fit_shares(prior, posterior);
        return;
    }
    step_sharpness(prior, posterior);
    step_bias(prior, posterior);
}
