/* triangle: solves with a triangular factor for several vectors at once. */
#ifndef KERNEL_TRIANGULAR_SOLVE_H
#define KERNEL_TRIANGULAR_SOLVE_H

#include <stddef.h>

enum { TRIANGLE_LANES = 16 }; /* vectors */

/* x[i * TRIANGLE_LANES + k], number i of vector k, 64-byte aligned, becomes (L L')^-1 times it; l
 * is n x n, row by row, the lower triangle. No vector has other bits for those beside it. */
typedef void triangular_solve_fn(const double *l, size_t n, double *x);

triangular_solve_fn triangle_plain;
triangular_solve_fn triangle_avx2;
triangular_solve_fn triangle_avx512;
triangular_solve_fn triangle_neon;

#endif
