/* row_prior: the class probabilities of an item before its votes are seen.
 *
 * Without a model they are the shares of the classes. With the probabilities P of a model they are
 * softmax_c(bias_c + sharpness * log P_c): a sharpness of 0 ignores the model, 1 takes its probabilities as they are.
 */
#ifndef AUDIT_ROW_PRIOR_H
#define AUDIT_ROW_PRIOR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct row_prior {
    size_t items, classes;
    const bool *counts;     /* of each item: it has votes, and so takes part in the fit */
    const double *evidence; /* log P, [item * classes + class], borrowed; NULL: no model */
    double *bias;           /* of each class; without a model log of its share */
    double sharpness;
    double penalty; /* the logarithm of the Dirichlet prior of the shares, which adds an item to each class */
    double *work;   /* [3 * classes] */
};

/* Equal shares. `counts` is borrowed. */
temper_status row_prior_new(size_t items, size_t classes, const bool *counts, struct row_prior *out,
                            temper_error *error);
void row_prior_free(struct row_prior *prior);
/* The model's evidence from now on, or another; starts from the present shares. */
void row_prior_set_evidence(struct row_prior *prior, const double *evidence);
/* log probabilities of an item, into out[classes]. */
void row_prior_log(const struct row_prior *prior, size_t item, double *out);
/* A step that does not lower the expected log likelihood of posterior[item * classes + class]: the M-step of EM. */
void row_prior_fit(struct row_prior *prior, const double *posterior);
/* log(sum exp x) */
double log_sum_exp(const double *x, size_t n);

#endif
