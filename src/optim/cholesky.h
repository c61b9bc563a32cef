/* cholesky: A = L L' of a dense symmetric matrix of up to a few thousand rows, in place.
 *
 * Matrices are row by row, a[i * n + j], and only the lower triangle (j <= i) is read. The
 * order of all sums is fixed. */
#ifndef OPTIM_CHOLESKY_H
#define OPTIM_CHOLESKY_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/dispatch/kernel.h"

/* The lower triangle becomes L. False if A is not positive definite or not finite; the triangle is
 * then overwritten. `subtract` is the panel update of a kernel: any of them, but always the same for the same bits. */
bool cholesky_factor(cholesky_update_fn *subtract, double *a, size_t n);

/* The same, returning how many rows of L were computed, n if all. If fewer, i: row i holds L in its columns j < i, and
 * *pivot is the Schur complement of a[i][i], which should have been positive. */
size_t cholesky_try(cholesky_update_fn *subtract, double *a, size_t n, double *pivot);

void cholesky_solve_full(const double *l, size_t n, double *x);  /* x becomes A^-1 x */
void cholesky_solve_lower(const double *l, size_t n, double *x); /* x becomes L^-1 x */
/* x becomes L'^-1 x for the leading `count` rows and columns of L; n for all. */
void cholesky_solve_upper(const double *l, size_t n, size_t count, double *x);

/* x[k] becomes A^-1 x[k] for up to CHOLESKY_TOGETHER vectors, which takes little longer than one of
 * them alone: L is read once for all. The bits of each do not depend on the others
 * (but they differ from those of cholesky_solve_full). `space`: CHOLESKY_TOGETHER * n doubles,
 * from mem_aligned. */
enum { CHOLESKY_TOGETHER = TRIANGLE_LANES };
void cholesky_solve_several(const struct kernel *kernel, const double *l, size_t n, double *const *x, size_t count,
                            double *space);

#endif
