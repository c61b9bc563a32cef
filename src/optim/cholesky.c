/* cholesky: A = L L' of a dense symmetric matrix, by blocks of columns that fit into a cache.
 *
 * For each block of columns: what the columns left of it contribute is subtracted (nearly all of
 * the work: a matrix product in tiles that fit into registers), the block on the diagonal is
 * factored, and the rows below it are solved with its factor. */
#include "optim/cholesky.h"

#include <math.h>

#include "optim/vector.h"

enum {
    BLOCK = 64, /* columns: BLOCK * BLOCK doubles stay in the first-level cache */
    TILE = 4    /* rows and columns summed at once: 16 sums fit into the smallest register file */
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* packed[j / TILE][k][j % TILE] = from[j][k], so that a tile reads it in order. Columns beyond
 * `columns` are zeros, so that every tile is whole. */
static void pack(double *packed, const double *from, size_t n, size_t columns)
{
    for (size_t j = 0; j < BLOCK; j++)
        for (size_t k = 0; k < BLOCK; k++)
            packed[(j / TILE * BLOCK + k) * TILE + j % TILE] = j < columns ? from[j * n + k] : 0;
}

/* sum[r][c] = sum over k of left[r][k] packed[k][c]. The rows have names because an array of
 * pointers would keep the compiler from holding the sums in registers. */
static void tile_sums(double sum[TILE][TILE], const double *const left[TILE], const double *packed)
{
    const double *l0 = left[0], *l1 = left[1], *l2 = left[2], *l3 = left[3];
    double s0[TILE] = {0}, s1[TILE] = {0}, s2[TILE] = {0}, s3[TILE] = {0};
    for (size_t k = 0; k < BLOCK; k++) {
        const double *p = packed + k * TILE;
        for (size_t c = 0; c < TILE; c++) {
            s0[c] += l0[k] * p[c];
            s1[c] += l1[k] * p[c];
            s2[c] += l2[k] * p[c];
            s3[c] += l3[k] * p[c];
        }
    }
    for (size_t c = 0; c < TILE; c++) {
        sum[0][c] = s0[c];
        sum[1][c] = s1[c];
        sum[2][c] = s2[c];
        sum[3][c] = s3[c];
    }
}

/* Rows i .. i + rows - 1 of the block of `columns` columns at `begin` lose what the BLOCK columns
 * at `k` contribute. Short tiles repeat their last row and do not store it. Above the diagonal the
 * result is of no use and not stored either. */
static void subtract_rows(double *a, size_t n, size_t i, size_t rows, const double *packed,
                          const size_t place[3])
{
    const size_t k = place[0], begin = place[1], columns = place[2];
    const double *left[TILE];
    for (size_t r = 0; r < TILE; r++)
        left[r] = a + (i + smaller(r, rows - 1)) * n + k;
    for (size_t c = 0; c < columns; c += TILE) {
        double sum[TILE][TILE];
        tile_sums(sum, left, packed + c * BLOCK);
        for (size_t r = 0; r < rows; r++) {
            double *to = a + (i + r) * n + begin + c;
            const size_t last = smaller(columns - c, TILE);
            for (size_t j = 0; j < last && begin + c + j <= i + r; j++)
                to[j] -= sum[r][j];
        }
    }
}

/* The block of columns at `begin` loses what all columns before it contribute. */
static void subtract_left(double *a, size_t n, size_t begin, size_t columns)
{
    double packed[BLOCK * BLOCK];
    for (size_t k = 0; k < begin; k += BLOCK) {
        const size_t place[3] = {k, begin, columns};
        pack(packed, a + begin * n + k, n, columns);
        for (size_t i = begin; i < n; i += TILE)
            subtract_rows(a, n, i, smaller(TILE, n - i), packed, place);
    }
}

/* Factors the block on the diagonal; returns how many of its rows were made. */
static size_t factor_block(double *a, size_t n, size_t size, double *pivot)
{
    for (size_t i = 0; i < size; i++) {
        double *row = a + i * n;
        for (size_t j = 0; j < i; j++)
            row[j] = (row[j] - vector_dot(row, a + j * n, j)) / a[j * n + j];
        const double left = row[i] - vector_dot(row, row, i);
        if (!(left > 0) || isinf(left)) { /* NaN too */
            *pivot = left;
            return i;
        }
        row[i] = sqrt(left);
    }
    return size;
}

/* `row` becomes that of L: solves with the factored block, whose corner is at `l`. */
static void solve_row(double *row, const double *l, size_t n, size_t size)
{
    for (size_t j = 0; j < size; j++)
        row[j] = (row[j] - vector_dot(row, l + j * n, j)) / l[j * n + j];
}

size_t cholesky_try(double *a, size_t n, double *pivot)
{
    for (size_t begin = 0; begin < n; begin += BLOCK) {
        const size_t columns = smaller(BLOCK, n - begin);
        double *corner = a + begin * n + begin;
        subtract_left(a, n, begin, columns);
        const size_t made = factor_block(corner, n, columns, pivot);
        if (made < columns)
            return begin + made;
        for (size_t i = columns; begin + i < n; i++)
            solve_row(corner + i * n, corner, n, columns);
    }
    return n;
}

bool cholesky_factor(double *a, size_t n)
{
    double pivot = 0;
    return cholesky_try(a, n, &pivot) == n;
}

void cholesky_solve_lower(const double *l, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (x[i] - vector_dot(l + i * n, x, i)) / l[i * n + i];
}

void cholesky_solve_upper(const double *l, size_t n, size_t count, double *x)
{
    /* By rows of L, which are the columns of L', so that memory is read in order. */
    for (size_t i = count; i-- > 0;) {
        x[i] /= l[i * n + i];
        vector_add(x, -x[i], l + i * n, i);
    }
}

void cholesky_solve_full(const double *l, size_t n, double *x)
{
    cholesky_solve_lower(l, n, x);
    cholesky_solve_upper(l, n, n, x);
}

void cholesky_solve_several(const struct kernel *kernel, const double *l, size_t n,
                            double *const *x, size_t count, double *space)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < CHOLESKY_TOGETHER; k++)
            space[i * CHOLESKY_TOGETHER + k] = k < count ? x[k][i] : 0;
    kernel->triangle(l, n, space);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < count; k++)
            x[k][i] = space[i * CHOLESKY_TOGETHER + k];
}
