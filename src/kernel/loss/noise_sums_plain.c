/* noise_sums_plain: the references of the sums of noisy labels in plain C, one row after another. */
#include <math.h>
#include <string.h>

#include "kernel/loss/noise_sums.h"

/* ---- Two classes --------------------------------------------------------------------------------------------------
 */

/* The margin of a row, and the logistic function of it. */
static double margin_of(const struct noise_margins *rows, size_t row)
{
    double margin = rows->offset;
    for (size_t k = 0; k < rows->sources; k++)
        margin += rows->slope[k] * rows->difference[k * rows->stride + row];
    return margin;
}

static double logistic(double margin)
{
    return margin < 0 ? exp(margin) / (1 + exp(margin)) : 1 / (1 + exp(-margin));
}

static void margins(const struct noise_margins *rows, struct noise_margin_sums *sums)
{
    struct noise_margin_sums all = {.by_slope = sums->by_slope};
    memset(all.by_slope, 0, rows->sources * sizeof *all.by_slope);
    for (size_t row = 0; row < rows->rows; row++) {
        double margin = margin_of(rows, row), own = logistic(margin), not_own = logistic(-margin);
        double p = fmax(own * rows->same + not_own * rows->other, NOISE_LEAST);
        double by_margin = own * not_own * (rows->same - rows->other) / p;
        for (size_t k = 0; k < rows->sources; k++)
            all.by_slope[k] += by_margin * rows->difference[k * rows->stride + row];
        all.by_offset += by_margin;
        all.by_same += own / p;
        all.by_other += not_own / p;
        all.log_likelihood += log(p);
    }
    *sums = all;
}

/* log(1 / (1 + exp(-m))) is m itself far below 0. */
static void margins_correct(const struct noise_margins *rows, struct noise_margin_sums *sums)
{
    struct noise_margin_sums all = {.by_slope = sums->by_slope};
    memset(all.by_slope, 0, rows->sources * sizeof *all.by_slope);
    for (size_t row = 0; row < rows->rows; row++) {
        double margin = margin_of(rows, row), by_margin = logistic(-margin);
        for (size_t k = 0; k < rows->sources; k++)
            all.by_slope[k] += by_margin * rows->difference[k * rows->stride + row];
        all.by_offset += by_margin;
        all.log_likelihood += fmin(margin, 0) - log1p(exp(-fabs(margin)));
    }
    *sums = all;
}

static void margin_values(const struct noise_margins *rows, double *margin)
{
    for (size_t row = 0; row < rows->stride; row++)
        margin[row] = margin_of(rows, row);
}

static void margin_dots(const struct noise_margins *rows, const double *slope, double *by_slope)
{
    for (size_t k = 0; k < rows->sources; k++) {
        by_slope[k] = 0;
        for (size_t row = 0; row < rows->stride; row++)
            by_slope[k] += slope[row] * rows->difference[k * rows->stride + row];
    }
}

static void margin_priors(const struct noise_margins *rows, double *own)
{
    for (size_t row = 0; row < rows->rows; row++)
        own[row] = logistic(margin_of(rows, row));
}

static double margin_joint(const struct noise_margins *rows, const double *own)
{
    double sum = 0;
    for (size_t row = 0; row < rows->rows; row++)
        sum += own[row] * rows->same / (own[row] * rows->same + (1 - own[row]) * rows->other + NOISE_LEAST);
    return sum;
}

/* ---- More classes -------------------------------------------------------------------------------------------------
 */

/* p[class * step] of one row: the softmax of its scores. */
static void fill_prior(const struct noise_scores *rows, size_t row, double *p, size_t step)
{
    double most = -INFINITY, sum = 0;
    for (size_t c = 0; c < rows->classes; c++) {
        double a = rows->offset[c];
        for (size_t k = 0; k < rows->sources; k++)
            a += rows->slope[k] * rows->evidence[(k * rows->classes + c) * rows->stride + row];
        p[c * step] = a;
        most = fmax(most, a);
    }
    for (size_t c = 0; c < rows->classes; c++)
        sum += p[c * step] = exp(p[c * step] - most);
    for (size_t c = 0; c < rows->classes; c++)
        p[c * step] /= sum;
}

/* The probability of the label, of one row. */
static double chance_of(const struct noise_scores *rows, const double *prior, size_t step)
{
    double p = 0;
    for (size_t c = 0; c < rows->classes; c++)
        p += rows->chance[c] * prior[c * step];
    return fmax(p, NOISE_LEAST);
}

static void scores(const struct noise_scores *rows, struct noise_score_sums *sums)
{
    memset(sums->by_slope, 0, rows->sources * sizeof *sums->by_slope);
    memset(sums->by_offset, 0, rows->classes * sizeof *sums->by_offset);
    memset(sums->by_chance, 0, rows->classes * sizeof *sums->by_chance);
    sums->log_likelihood = 0;
    for (size_t row = 0; row < rows->rows; row++) {
        fill_prior(rows, row, rows->space, 1);
        double p = chance_of(rows, rows->space, 1);
        sums->log_likelihood += log(p);
        for (size_t c = 0; c < rows->classes; c++) {
            double prior = rows->space[c], by_activation = prior * rows->chance[c] / p - prior;
            sums->by_chance[c] += prior / p;
            sums->by_offset[c] += by_activation;
            for (size_t k = 0; k < rows->sources; k++)
                sums->by_slope[k] += by_activation * rows->evidence[(k * rows->classes + c) * rows->stride + row];
        }
    }
}

static void score_priors(const struct noise_scores *rows, double *prior)
{
    for (size_t row = 0; row < rows->rows; row++)
        fill_prior(rows, row, prior + row, rows->stride);
}

static void score_joint(const struct noise_scores *rows, const double *prior, double *joint)
{
    memset(joint, 0, rows->classes * sizeof *joint);
    for (size_t row = 0; row < rows->rows; row++) {
        double p = chance_of(rows, prior + row, rows->stride);
        for (size_t c = 0; c < rows->classes; c++)
            joint[c] += rows->chance[c] * prior[c * rows->stride + row] / p;
    }
}

const struct noise_kernels noise_plain = {margins,      margins_correct, margin_values, margin_dots, margin_priors,
                                          margin_joint, scores,          score_priors,  score_joint};
