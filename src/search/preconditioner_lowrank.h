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

struct principal;

/* Whether that will do for these fits: many features, around their means. */
bool principal_suits(const struct fits_job *job);

temper_status principal_new(const struct fits_job *job, double bend, struct principal **out,
                            temper_error *error);
void principal_free(struct principal *principal);

/* What a penalty adds, for principal_turn; NULL: no memory. Freed by mem_free. */
double *principal_factor(const struct principal *principal, panel_fn *subtract, double l2);

/* v becomes M^-1 v. */
void principal_turn(const struct principal *principal, const double *factor, double *v);

#endif
