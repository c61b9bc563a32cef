/* small_plain: the references of the small kernels in plain C: Cholesky update, triangular solve, ranges of
 * columns. */
#include "kernel/small/cholesky_update.h"
#include "kernel/small/column_range.h"
#include "kernel/small/triangular_solve.inc.h"

/* ---- Cholesky update ------------------------------------------------------------------------- */

enum { TILE = 4 }; /* rows and columns: their sums fit into the smallest register file */

/* sum[r][c] of a tile. The rows have names because an array of pointers would keep the compiler
 * from holding the sums in registers. Short tiles repeat their last row. */
static void tile_sums(const struct cholesky_panel *p, size_t row, size_t c, double sum[TILE][TILE])
{
    /* rows of the tile beyond the panel: their sums are computed and not stored */
    const size_t last = p->rows - 1 - row;
    const double *l0 = p->left + row * p->left_step;
    const double *l1 = l0 + (last < 1 ? last : 1) * p->left_step;
    const double *l2 = l0 + (last < 2 ? last : 2) * p->left_step;
    const double *l3 = l0 + (last < 3 ? last : 3) * p->left_step;
    double s0[TILE] = {0}, s1[TILE] = {0}, s2[TILE] = {0}, s3[TILE] = {0};
    for (size_t k = 0; k < PANEL; k++) {
        const double *right = p->right + k * PANEL + c;
        for (size_t i = 0; i < TILE; i++) {
            s0[i] += l0[k] * right[i];
            s1[i] += l1[k] * right[i];
            s2[i] += l2[k] * right[i];
            s3[i] += l3[k] * right[i];
        }
    }
    for (size_t i = 0; i < TILE; i++) {
        sum[0][i] = s0[i];
        sum[1][i] = s1[i];
        sum[2][i] = s2[i];
        sum[3][i] = s3[i];
    }
}

/* to -= left * right for a panel of PANEL columns: the update of the trailing rows in a blocked Cholesky
 * factorisation. Every entry is one sum over k in order, whichever tile it is in. */
void cholesky_update_plain(const struct cholesky_panel *p)
{
    for (size_t row = 0; row < p->rows; row += TILE)
        for (size_t c = 0; c < PANEL; c += TILE) {
            double sum[TILE][TILE];
            tile_sums(p, row, c, sum);
            for (size_t r = 0; r < TILE && row + r < p->rows; r++)
                for (size_t i = 0; i < TILE; i++)
                    p->to[(row + r) * p->to_step + c + i] -= sum[r][i];
        }
}

/* ---- Triangular solve ------------------------------------------------------------------------ */

/* The template on the vectors that every processor has. */
void triangular_solve_plain(const double *l, size_t n, double *x)
{
    triangular_solve_run(l, n, x);
}

/* ---- Ranges of columns of floats, doubles and bytes ------------------------------------------ */

#define stored      float
#define RANGE(name) plain_##name##_f32
#include "kernel/small/column_range_plain.inc.h"

#define stored      double
#define RANGE(name) plain_##name##_f64
#include "kernel/small/column_range_plain.inc.h"

#define stored      uint8_t
#define RANGE(name) plain_##name##_u8
#include "kernel/small/column_range_plain.inc.h"

const struct column_range_kernels column_range_plain = {plain_first_f32,  plain_first_f64,  plain_first_u8,
                                                        plain_second_f32, plain_second_f64, plain_second_u8};
