/* panel: rows lose the product of a block left of them: nearly all of the work of a Cholesky
 * factor. */
#ifndef KERNEL_CHOLESKY_UPDATE_H
#define KERNEL_CHOLESKY_UPDATE_H

#include <stddef.h>

enum { PANEL = 64 }; /* columns; a block of PANEL x PANEL doubles stays in the first-level cache */

struct panel {
    double *to; /* to[r * to_step + c], c < PANEL */
    size_t to_step;
    const double *left; /* left[r * left_step + k], k < PANEL */
    size_t left_step;
    size_t rows;
    const double *right; /* right[k * PANEL + c] */
};

/* to[r][c] -= sum over k of left[r][k] right[k][c], k ascending; no row has other bits for those
 * beside it. */
typedef void cholesky_update_fn(const struct panel *panel);

cholesky_update_fn panel_plain;
cholesky_update_fn panel_avx2;
cholesky_update_fn panel_avx512;
cholesky_update_fn panel_neon;

#endif
