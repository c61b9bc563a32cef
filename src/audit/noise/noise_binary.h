/* noise_binary: the likelihood of noise_likelihood.h for two classes, from one number for each source and row.
 *
 * With s = 1 for a row that is given class 1, and -1 for class 0, the probability that its true class is its label is
 * the logistic function of the signed margin
 *
 *     m = s (sum_k slope_k (evidence_k1 - evidence_k0) + offset),
 *
 * so that half of the evidence, and one logistic function instead of a softmax, are enough. Of correct labels, with a
 * slope for each class, the margin is s (sum_k slope_k1 evidence_k1 - slope_k0 evidence_k0 + offset), and the loss with
 * a temperature is a function of it as well. */
#ifndef AUDIT_NOISE_BINARY_H
#define AUDIT_NOISE_BINARY_H

#include "audit/noise/noise_likelihood.h"

struct noise_binary;

/* The signed differences of the evidence of all rows, whose blocks are filled. */
temper_status noise_binary_new(const struct noise_fit *fit, struct noise_binary **out, temper_error *error);
void noise_binary_free(struct noise_binary *binary);

/* Before the blocks of a likelihood: builds what these share. */
void noise_binary_prepare(const struct noise_fit *fit);
/* Copies the table of losses of another fit with the same settings, which is built there first if it is missing. */
void noise_binary_take_table(struct noise_fit *fit, const struct noise_fit *of);
/* Fills sums[] of a block: derivatives of the log likelihood by the shared parameters, minus the log likelihood, and
 * its derivative by the rate, which is that of uniform noise if the fit has no table. */
void noise_binary_block(const struct noise_fit *fit, const double *w, double rate, size_t block, double *sums);

/* As noise_fill_priors and noise_fill_joint. */
void noise_binary_priors(const struct noise_fit *fit, const double *w, double *prior);
void noise_binary_joint(const struct noise_fit *fit, const double *prior, const double *transition, double *joint);

#endif
