/* principal: a metric for a few fits: it knows the directions in which rows differ most, and takes
 * all others to be alike.
 *
 * M = bend (V C V' + rest (1 - V V')) + l2, V a few orthonormal directions, C the second moments
 * along them. A loose fit of two classes needs an iteration or two more in it than in that of all
 * moments, which take several times as long to add up as those iterations. */
#ifndef TRAIN_PRECONDITIONER_LOWRANK_H
#define TRAIN_PRECONDITIONER_LOWRANK_H

#include "kernel/small/cholesky_update.h"
#include "search/many_fits.h"

struct lowrank_preconditioner;

/* Whether that will do for these fits: many features, around their means. */
bool lowrank_preconditioner_suits(const struct fits_job *job);

temper_status lowrank_preconditioner_new(const struct fits_job *job, double bend, struct lowrank_preconditioner **out,
                                         temper_error *error);
void lowrank_preconditioner_free(struct lowrank_preconditioner *principal);

/* What a penalty adds, for lowrank_preconditioner_apply; NULL: no memory. Freed by mem_free. */
double *lowrank_preconditioner_factor(const struct lowrank_preconditioner *principal, cholesky_update_fn *subtract,
                                      double l2);

/* v becomes M^-1 v. */
void lowrank_preconditioner_apply(const struct lowrank_preconditioner *principal, const double *factor, double *v);

#endif
