/* cholesky_update: cholesky_update.h by register tiles. */
#include "kernel/dispatch/simd.h"
#include "kernel/small/cholesky_update.h"

enum {
    PANEL_VECTORS = 4,
#if defined(__AVX2__) && !defined(__AVX512F__)
    PANEL_ROWS = 3, /* of sixteen registers, twelve for sums */
#else
    PANEL_ROWS = 6, /* of thirty-two, twenty-four */
#endif
};

/* A tile of `rows` rows and PANEL_VECTORS vectors of columns, from column c on. */
HOT void panel_tile(const struct cholesky_panel *p, size_t row, size_t c, const int rows)
{
    vec sum[PANEL_ROWS * PANEL_VECTORS];
    const double *left = p->left + row * p->left_step, *right = p->right + c;
    for (int i = 0; i < rows * PANEL_VECTORS; i++)
        sum[i] = vec_all(0);
    for (size_t k = 0; k < PANEL; k++) {
        /* one row of `right` for all rows of the tile */
        vec b[PANEL_VECTORS];
        for (int v = 0; v < PANEL_VECTORS; v++)
            b[v] = vec_load(right + k * PANEL + v * LANES);
        for (int r = 0; r < rows; r++) {
            vec a = vec_all(left[(size_t)r * p->left_step + k]);
            for (int v = 0; v < PANEL_VECTORS; v++)
                sum[r * PANEL_VECTORS + v] = vec_fma(a, b[v], sum[r * PANEL_VECTORS + v]);
        }
    }
    for (int r = 0; r < rows; r++) {
        double *to = p->to + (row + (size_t)r) * p->to_step + c;
        for (int v = 0; v < PANEL_VECTORS; v++)
            vec_store(to + v * LANES, vec_load(to + v * LANES) - sum[r * PANEL_VECTORS + v]);
    }
}

/* Rows that form no complete tile are processed one by one; each entry has the same order of additions. */
static void cholesky_update_run(const struct cholesky_panel *p)
{
    size_t row = 0;
    for (; row + PANEL_ROWS <= p->rows; row += PANEL_ROWS)
        for (size_t c = 0; c < PANEL; c += PANEL_VECTORS * LANES)
            panel_tile(p, row, c, PANEL_ROWS);
    for (; row < p->rows; row++)
        for (size_t c = 0; c < PANEL; c += PANEL_VECTORS * LANES)
            panel_tile(p, row, c, 1);
}
