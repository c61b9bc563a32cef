/* cholesky: A = L L' of a dense symmetric matrix, in blocks of PANEL columns that fit into a cache.
 *
 * Left-looking: for each block of columns, first the contribution of all columns to its left is subtracted (nearly all
 * of the n^3 / 3 operations: a matrix product in tiles that fit into registers), then the diagonal block is factored,
 * and the rows below it are solved with its factor. */
#include "optim/cholesky.h"

#include <math.h>

#include "base/order.h"
#include "optim/vector.h"

enum { STRIP = 8 }; /* rows of the diagonal block that are updated together */

/* packed[k][j] = from[j][k]: a transposed copy of one panel, so that the kernel reads consecutive numbers. Columns
 * beyond `columns` are zeros, so that the kernel needs no special case for the last panel. */
static void pack(double *packed, const double *from, size_t n, size_t columns)
{
    for (size_t k = 0; k < PANEL; k++)
        for (size_t j = 0; j < PANEL; j++)
            packed[k * PANEL + j] = j < columns ? from[j * n + k] : 0;
}

/* Updates the diagonal block at `corner` by one panel, in copies of some of its rows, because nothing above the
 * diagonal may be written. A copy of the whole block would take another 32 KiB of the stack. */
static void subtract_from_corner(cholesky_update_fn *subtract, double *corner, const struct cholesky_panel *panel)
{
    double copy[STRIP * PANEL];
    const size_t n = panel->left_step;
    for (size_t first = 0; first < panel->rows; first += STRIP) {
        const size_t rows = min_size(STRIP, panel->rows - first);
        double *to = corner + first * n;
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < PANEL; j++)
                copy[i * PANEL + j] = j <= first + i ? to[i * n + j] : 0;
        subtract(&(struct cholesky_panel){copy, PANEL, panel->left + first * n, n, rows, panel->right});
        for (size_t i = 0; i < rows; i++)
            vector_copy(to + i * n, copy + i * PANEL, first + i + 1);
    }
}

/* Subtracts from the block of columns at `begin` what all columns before it contribute. */
static void subtract_left(cholesky_update_fn *subtract, double *a, size_t n, size_t begin)
{
    const size_t columns = min_size(PANEL, n - begin), below = begin + columns;
    double packed[PANEL * PANEL];
    for (size_t k = 0; k < begin; k += PANEL) {
        const double *left = a + begin * n + k;
        pack(packed, left, n, columns);
        subtract_from_corner(subtract, a + begin * n + begin,
                             &(struct cholesky_panel){NULL, 0, left, n, columns, packed});
        subtract(&(struct cholesky_panel){a + below * n + begin, n, a + below * n + k, n, n - below, packed});
    }
}

/* Factors the block on the diagonal, unblocked; returns how many of its rows were computed. */
static size_t factor_block(double *a, size_t n, size_t size, double *pivot)
{
    for (size_t i = 0; i < size; i++) {
        double *row = a + i * n;
        for (size_t j = 0; j < i; j++)
            row[j] = (row[j] - vector_dot(row, a + j * n, j)) / a[j * n + j];
        const double left = row[i] - vector_dot(row, row, i);
        /* The pivot: the Schur complement of this diagonal entry. */
        if (!(left > 0) || isinf(left)) { /* NaN too */
            *pivot = left;
            return i;
        }
        row[i] = sqrt(left);
    }
    return size;
}

/* Forward substitution with the factored diagonal block at `l`: `row` becomes the corresponding row of L. */
static void solve_row(double *row, const double *l, size_t n, size_t size)
{
    for (size_t j = 0; j < size; j++)
        row[j] = (row[j] - vector_dot(row, l + j * n, j)) / l[j * n + j];
}

/* Stops at the first pivot that is not positive. That row and pivot give a direction without positive curvature, from
 * which trust_region.c computes how much has to be added to the diagonal. */
size_t cholesky_try(cholesky_update_fn *subtract, double *a, size_t n, double *pivot)
{
    for (size_t begin = 0; begin < n; begin += PANEL) {
        const size_t columns = min_size(PANEL, n - begin);
        double *corner = a + begin * n + begin;
        if (begin > 0) /* its 32 KiB of the stack are not touched for small matrices */
            subtract_left(subtract, a, n, begin);
        const size_t made = factor_block(corner, n, columns, pivot);
        if (made < columns)
            return begin + made;
        for (size_t i = columns; begin + i < n; i++)
            solve_row(corner + i * n, corner, n, columns);
    }
    return n;
}

/* For matrices that are expected to be positive definite; the pivot that failed is of no interest. */
bool cholesky_factor(cholesky_update_fn *subtract, double *a, size_t n)
{
    double pivot = 0;
    return cholesky_try(subtract, a, n, &pivot) == n;
}

/* Forward substitution. */
void cholesky_solve_lower(const double *l, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (x[i] - vector_dot(l + i * n, x, i)) / l[i * n + i];
}

/* Back substitution with L'. */
void cholesky_solve_upper(const double *l, size_t n, size_t count, double *x)
{
    /* By rows of L, which are the columns of L', so that memory is read in order. */
    for (size_t i = count; i-- > 0;) {
        x[i] /= l[i * n + i];
        vector_add(x, -x[i], l + i * n, i);
    }
}

/* Two triangular solves of n^2 operations each. */
void cholesky_solve_full(const double *l, size_t n, double *x)
{
    cholesky_solve_lower(l, n, x);
    cholesky_solve_upper(l, n, n, x);
}

/* Interleaves the vectors, space[i][k] = x[k][i], so that each lane of a vector register solves for one of them; unused
 * lanes are zeros. */
void cholesky_solve_several(const struct kernel *kernel, const double *l, size_t n, double *const *x, size_t count,
                            double *space)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < CHOLESKY_TOGETHER; k++)
            space[i * CHOLESKY_TOGETHER + k] = k < count ? x[k][i] : 0;
    kernel->triangular_solve(l, n, space);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < count; k++)
            x[k][i] = space[i * CHOLESKY_TOGETHER + k];
}
