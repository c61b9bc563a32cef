/* noise_binary: the likelihood of noise_likelihood.h for two classes, from one number for each source and row.
 *
 * With s = 1 for a row that is given class 1, and -1 for class 0, the probability that its true class is its label is
 * the logistic function of the signed margin
 *
 *     m = s (sum_k slope_k (evidence_k1 - evidence_k0) + offset),
 *
 * so that half of the evidence, and one logistic function instead of a softmax, are enough. */
#ifndef AUDIT_NOISE_BINARY_H
#define AUDIT_NOISE_BINARY_H

#include "audit/noise/noise_likelihood.h"

struct noise_binary;

/* The signed differences of the evidence of all rows. */
temper_status noise_binary_new(const struct noise_rows *rows, struct noise_binary **out, temper_error *error);
void noise_binary_free(struct noise_binary *binary);

/* p(given label | true class), for each given label. */
struct binary_labels {
    double same[2];  /* the true class is the label */
    double other[2]; /* the true class is the other one */
};

/* Of the table of a fit, or, if it has none, of uniform noise of this rate. */
struct binary_labels noise_binary_labels(const struct noise_fit *fit, double rate);

/* Fills sums[] of a block: derivatives of the log likelihood by the shared parameters, minus the log likelihood, and
 * its derivative by the rate. */
void noise_binary_block(const struct noise_fit *fit, const double *w, struct binary_labels labels, size_t block,
                        double *sums);

/* As noise_fill_priors. */
void noise_binary_priors(const struct noise_fit *fit, const double *w, double *prior);

/* joint[true * 2 + given]: expected rows, from such probabilities and a table. */
void noise_binary_joint(const struct noise_fit *fit, const double *prior, const double *transition, double *joint);

#endif
