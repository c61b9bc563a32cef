/* cholesky_update: subtracts the product of two panels from some rows: the trailing update of a blocked
 * Cholesky factorisation, and nearly all of its work. */
#ifndef KERNEL_CHOLESKY_UPDATE_H
#define KERNEL_CHOLESKY_UPDATE_H

#include <stddef.h>

enum { PANEL = 64 }; /* columns; a block of PANEL x PANEL doubles stays in the first-level cache */

struct cholesky_panel {
    double *to; /* to[r * to_step + c], c < PANEL */
    size_t to_step;
    const double *left; /* left[r * left_step + k], k < PANEL */
    size_t left_step;
    size_t rows;
    const double *right; /* right[k * PANEL + c] */
};

/* to[r][c] -= sum over k of left[r][k] right[k][c], k ascending; the bits of a row do not depend on other rows. */
typedef void cholesky_update_fn(const struct cholesky_panel *panel);

cholesky_update_fn cholesky_update_plain;
cholesky_update_fn cholesky_update_avx2;
cholesky_update_fn cholesky_update_avx512;
cholesky_update_fn cholesky_update_neon;
cholesky_update_fn cholesky_update_wasm128;

#endif
