/* evidence: combines the scores of the fits, the labels of the neighbours and the ridge regression into evidence about
 * the true class of every row, and estimates the label noise from it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit_steps.h"
#include "base/memory.h"
#include "tempered/log_partition.h"

/* The surest rows are those with |evidence| from this quantile on. */
static const double SUREST_FROM = 0.8;
/* Noise is taken to follow a rule, instead of chance, if labels contradict the surest rows at least RULE_RATIO times
 * as often as all rows, and the difference is at least RULE_ERRORS standard errors. */
static const double RULE_RATIO = 1.25, RULE_ERRORS = 3;
/* The error rate of the surest rows is used as the rate of random noise if it is more than this fraction of that of
 * all rows. */
static const double RANDOM_RATIO = 0.3;
/* The likelihood of all rows depends on the model being right, the rate among the surest rows much less; so the
 * standard error of the latter is multiplied by this. */
static const double SUREST_ERROR_FACTOR = 0.5;
/* Scores saturate beyond this quantile of their absolute values. */
static const double SATURATED_FROM = 0.9;

/* Calls the noise model for two classes or for more. */
double audit_joint(const struct audit_input *in, const struct audit_noise *noise, size_t row, double *out)
{
    uint32_t given = in->data->label[row];
    if (in->classes == 2)
        return noise_binary_row(&noise->binary.best, noise->evidence + BINARY_EVIDENCE * row, given, out);
    return noise_em_row(&noise->em, noise->evidence + row * in->classes, given, out);
}

/* Initial beliefs: belief[row] is the probability of the given label by the out-of-fold fit alone. Returns the share
 * of rows whose given label is the predicted class. */
static double beliefs_of_fits(const struct audit_input *in, const struct audit_fits *fits, double *belief)
{
    double correct = 0;
    for (size_t row = 0; row < in->rows; row++) {
        const double *a = fits->activation + row * in->classes;
        uint32_t given = in->data->label[row];
        struct partition family = partition_solve(a, in->classes, fits->loss.t2);
        belief[row] = exp(partition_log_p(&family, given, a[given]));
        correct += family.top == given;
    }
    return correct / (double)in->rows;
}

/* Final beliefs: the posterior probability that the given label is the true class. `space` has one number per class. */
static void beliefs_of_noise(const struct audit_input *in, struct audit_noise *noise, double *space)
{
    for (size_t row = 0; row < in->rows; row++) {
        double all = audit_joint(in, noise, row, space);
        noise->belief[row] = exp(space[in->data->label[row]] - all);
    }
}

/* ---- More than two classes ------------------------------------------------------------------- */

/* Adds log q of the neighbours' votes, weighted by belief: q_c = (v_c + 1/C) / (sum v + 1). Up to a constant of the row
 * that is log(1 + C v_c), and 0 for classes without a vote. `votes` has one number per class, 0 before and after. */
static void add_votes(const struct audit_input *in, const struct audit_neighbours *near, struct audit_noise *noise,
                      size_t row, double *votes)
{
    const uint32_t *neighbour = near->neighbour + row * near->count;
    const uint32_t *label = in->data->label;
    double *out = noise->evidence + row * in->classes;
    for (size_t i = 0; i < near->count; i++)
        votes[label[neighbour[i]]] += noise->belief[neighbour[i]];
    /* A class with several votes is added once: its votes are cleared after the first. */
    for (size_t i = 0; i < near->count; i++) {
        uint32_t class = label[neighbour[i]];
        out[class] += log1p((double)in->classes * votes[class]);
        votes[class] = 0;
    }
}

/* Two rounds of votes and noise model: votes are weighted by beliefs, and those of the first round are better than
 * those of the fits alone. `space` has one number per class. */
static temper_status estimate_multiclass(const struct audit_input *in, const struct audit_fits *fits,
                                         const struct audit_neighbours *near, struct audit_noise *noise, double *space)
{
    struct noise_em_rows rows = {noise->evidence, in->data->label, in->rows, in->classes};
    for (size_t round = 0; round < 2; round++) {
        /* Each round starts from the scores, to which the votes are added. */
        memcpy(noise->evidence, fits->activation, in->rows * in->classes * sizeof *noise->evidence);
        memset(space, 0, in->classes * sizeof *space);
        for (size_t row = 0; row < in->rows; row++)
            add_votes(in, near, noise, row, space);
        TRY(noise_em_fit(&rows, &noise->em, in->error));
        beliefs_of_noise(in, noise, space);
    }
    return TEMPER_OK;
}

/* ---- Two classes ----------------------------------------------------------------------------- */

/* How often labels contradict the evidence, among the surest rows and among all. */
struct surest_rows {
    double rows, error, error_of_all;
};

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* *out is the quantile `share` (less than 1) of |logit[row]| over all rows. */
static temper_status absolute_quantile(const struct audit_input *in, const double *logit, double share, double *out)
{
    double *size = mem_alloc(in->rows, sizeof *size);
    if (!size)
        return error_no_memory(in->error);
    for (size_t row = 0; row < in->rows; row++)
        size[row] = fabs(logit[row]);
    qsort(size, in->rows, sizeof *size, ascending);
    *out = size[(size_t)(share * (double)in->rows)];
    mem_free(size);
    return TEMPER_OK;
}

/* Compares the given labels with the sign of logit[row], which is positive for the second class, among all rows and
 * among the surest. Unweighted. */
static temper_status measure_surest(const struct audit_input *in, const double *logit, struct surest_rows *out)
{
    double least;
    TRY(absolute_quantile(in, logit, SUREST_FROM, &least));
    *out = (struct surest_rows){0};
    for (size_t row = 0; row < in->rows; row++) {
        double wrong = (logit[row] > 0) != (in->data->label[row] == 1);
        out->error_of_all += wrong / (double)in->rows;
        out->rows += fabs(logit[row]) >= least;
        out->error += fabs(logit[row]) >= least ? wrong : 0;
    }
    out->error /= out->rows;
    return TEMPER_OK;
}

/* Whether the noise depends on the features. Neighbours then have the same wrong labels, and their votes would
 * confirm these, so that votes are not used. */
static bool noise_follows_rule(const struct surest_rows *surest)
{
    double all = surest->error_of_all, spread = sqrt(all * (1 - all) / surest->rows);
    return all > 0 && surest->error >= RULE_RATIO * all && surest->error - all >= RULE_ERRORS * spread;
}

/* Completes the evidence of each row: saturated score, votes of the neighbours as a log ratio, and regression. Votes
 * are unweighted, since a neighbour's belief depends on the label of this row, and noise would look rarer than it
 * is. Scores saturate at about `scale`: a linear model extrapolates to rows further out. */
static void add_binary_evidence(const struct audit_input *in, const struct audit_neighbours *near, double scale,
                                double *evidence)
{
    for (size_t row = 0; row < in->rows; row++) {
        const uint32_t *neighbour = near->neighbour + row * near->count;
        double *out = evidence + BINARY_EVIDENCE * row, votes[2] = {0};
        for (size_t i = 0; i < near->count; i++)
            votes[in->data->label[neighbour[i]]]++;
        out[0] = scale > 0 ? tanh(out[0] / scale) : out[0];
        out[1] = log1p(2 * votes[1]) - log1p(2 * votes[0]);
        out[2] = near->rff[2 * row + 1] - near->rff[2 * row];
    }
}

/* Fits the noise model once to find the surest rows. If labels contradict them nearly as often as others, the noise
 * looks random, and their error rate becomes the prior of the noise rate in *rows. `logit` is space for one number
 * per row. */
static temper_status find_sure_rate(const struct audit_input *in, struct audit_noise *noise, double *logit,
                                    struct noise_binary_rows *rows)
{
    struct surest_rows surest;
    noise_binary_fit(rows, NULL, &noise->binary);
    for (size_t row = 0; row < in->rows; row++)
        logit[row] = noise_binary_logit(&noise->binary.best, noise->evidence + BINARY_EVIDENCE * row);
    TRY(measure_surest(in, logit, &surest));
    if (surest.error > RANDOM_RATIO * surest.error_of_all) {
        rows->sure_rate = surest.error;
        rows->sure_error = SUREST_ERROR_FACTOR * sqrt(surest.error * (1 - surest.error) / surest.rows);
    }
    return TEMPER_OK;
}

/* Estimates the noise of two classes. Where classes overlap, the likelihood alone hardly distinguishes noise from
 * overlap; so the error rate of the surest rows serves as a prior. Where noise follows a rule, the evidence is that
 * of the fits alone. `logit` is space for one number per row. */
static temper_status fit_binary(const struct audit_input *in, const struct audit_fits *fits,
                                const struct audit_neighbours *near, struct audit_noise *noise, double *logit)
{
    struct noise_binary_rows rows = {.evidence = noise->evidence, .given = in->data->label, .rows = in->rows};
    struct surest_rows surest;
    double scale;
    for (size_t row = 0; row < in->rows; row++) {
        double *out = noise->evidence + BINARY_EVIDENCE * row;
        /* Evidence of the fits: the log odds of the second class by its score, before votes and regression. */
        out[0] = logit[row] = fits->activation[2 * row + 1] - fits->activation[2 * row];
        out[1] = out[2] = 0;
    }
    TRY(measure_surest(in, logit, &surest));
    TRY(absolute_quantile(in, logit, SATURATED_FROM, &scale));
    /* Unused evidence stays 0, and its slopes at their priors. */
    if (noise_follows_rule(&surest)) {
        noise_binary_fit(&rows, NULL, &noise->binary);
        return TEMPER_OK;
    }
    add_binary_evidence(in, near, scale, noise->evidence);
    TRY(find_sure_rate(in, noise, logit, &rows));
    /* The second fit, with the prior, starts from the parameters of the first. */
    const struct noise_binary first = noise->binary.best;
    noise_binary_fit(&rows, &first, &noise->binary);
    return TEMPER_OK;
}

/* Fits the model and sets the beliefs that follow from it. */
static temper_status estimate_binary(const struct audit_input *in, const struct audit_fits *fits,
                                     const struct audit_neighbours *near, struct audit_noise *noise, double *space)
{
    double *logit = mem_alloc(in->rows, sizeof *logit);
    temper_status status = logit ? fit_binary(in, fits, near, noise, logit) : error_no_memory(in->error);
    if (status == TEMPER_OK)
        beliefs_of_noise(in, noise, space);
    mem_free(logit);
    return status;
}

/* The accuracy of the report is that of the fits alone, against the labels as given. */
temper_status audit_estimate_noise(const struct audit_input *in, const struct audit_fits *fits,
                                   const struct audit_neighbours *near, struct audit_noise *out,
                                   temper_audit_report *report)
{
    /* Evidence is three numbers per row for two classes, one per class for more. */
    size_t numbers = in->classes == 2 ? (size_t)BINARY_EVIDENCE : in->classes;
    double *space = mem_alloc(in->classes, sizeof *space);
    out->evidence = mem_alloc(in->rows, numbers * sizeof *out->evidence);
    out->belief = mem_alloc(in->rows, sizeof *out->belief);
    temper_status status = TEMPER_NO_MEMORY;
    if (space && out->evidence && out->belief) {
        report->accuracy = beliefs_of_fits(in, fits, out->belief);
        status = in->classes == 2 ? estimate_binary(in, fits, near, out, space)
                                  : estimate_multiclass(in, fits, near, out, space);
    } else {
        error_no_memory(in->error);
    }
    mem_free(space);
    return status;
}
