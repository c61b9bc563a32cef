/* triangular_solve: forward and back substitution with a Cholesky factor, for 16 vectors at once. */
#ifndef KERNEL_TRIANGULAR_SOLVE_H
#define KERNEL_TRIANGULAR_SOLVE_H

#include <stddef.h>

enum { TRIANGLE_LANES = 16 }; /* vectors */

/* x[i * TRIANGLE_LANES + k], number i of vector k, 64-byte aligned, becomes (L L')^-1 times it; l
 * is n x n, row by row, the lower triangle. The bits of a vector do not depend on the others. */
typedef void triangular_solve_fn(const double *l, size_t n, double *x);

triangular_solve_fn triangular_solve_plain;
triangular_solve_fn triangular_solve_avx2;
triangular_solve_fn triangular_solve_avx512;
triangular_solve_fn triangular_solve_neon;
triangular_solve_fn triangular_solve_wasm128;

#endif
