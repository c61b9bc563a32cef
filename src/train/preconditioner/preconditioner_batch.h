/* preconditioner_batch: the preconditioners of many two-class fits on the same rows: one Gram matrix for all of them,
 * one Cholesky factor for each penalty, vectors solved for in groups. Few fits on many features use a low-rank
 * approximation of the Gram matrix instead. */
#ifndef TRAIN_PRECONDITIONER_BATCH_H
#define TRAIN_PRECONDITIONER_BATCH_H

#include "kernel/small/cholesky_update.h"
#include "train/scaled_features.h"

struct gram_preconditioners;

enum { GRAM_PRECONDITIONERS_MOST_VECTORS = 96 }; /* in one call of gram_preconditioners_apply */
#define GRAM_PRECONDITIONERS_NONE SIZE_MAX

/* What the fits have in common. */
struct gram_preconditioners_spec {
    const struct scaled_features *features; /* borrowed */
    bool intercept;
    bool few_fits;        /* for which adding up the Gram matrix of all features would take longer than it saves */
    size_t max_penalties; /* that will be asked for */
    /* NULL, or weights at which the rows have the curvature of this loss, in place of that at W = 0. */
    const double *curvature_at;
    temper_loss_spec loss;
    size_t threads;           /* at least 1 */
    struct thread_pool *pool; /* that solves use; NULL: none */
};

/* Computes the Gram matrix, or the principal directions. */
temper_status gram_preconditioners_new(const struct gram_preconditioners_spec *spec, struct gram_preconditioners **out,
                                       temper_error *error);
void gram_preconditioners_free(struct gram_preconditioners *batch);

/* The number of the preconditioner for a penalty, which is factored on the first request; GRAM_PRECONDITIONERS_NONE
 * where the matrix is not positive definite. */
temper_status gram_preconditioners_find(struct gram_preconditioners *batch, double l2, size_t *number,
                                        temper_error *error);

/* A vector that becomes M^-1 v, M being `curvature` times the Gram matrix, and the penalty of that number; with
 * `curvature_at`, M is the Hessian there, and `curvature` is not used. */
struct preconditioned {
    size_t number;
    double *v;
    double curvature;
};

temper_status gram_preconditioners_apply(struct gram_preconditioners *batch, const struct preconditioned *vectors,
                                         size_t count);

/* ---- Low rank --------------------------------------------------------------------------------
 *
 * M = c (V C V' + r (1 - V V')) + l2: V a few orthonormal principal directions of the rows, C the second moments along
 * them, r the mean second moment of all other directions, c the curvature of the loss. A loose fit of two classes needs
 * an iteration or two more with it than with the whole Gram matrix, which takes several times as long to add up as
 * those iterations. */

struct lowrank_preconditioner;

/* Whether it is accurate enough for these fits: few of them, and many features centred on their means. */
bool lowrank_preconditioner_suits(const struct gram_preconditioners_spec *spec);
temper_status lowrank_preconditioner_new(const struct gram_preconditioners_spec *spec, double curvature,
                                         struct lowrank_preconditioner **out, temper_error *error);
void lowrank_preconditioner_free(struct lowrank_preconditioner *lowrank);
/* What lowrank_preconditioner_apply needs for a penalty; NULL: out of memory. Freed by mem_free. */
double *lowrank_preconditioner_factor(const struct lowrank_preconditioner *lowrank, cholesky_update_fn *subtract,
                                      double l2);
/* v becomes M^-1 v. */
void lowrank_preconditioner_apply(const struct lowrank_preconditioner *lowrank, const double *factor, double *v);

#endif
