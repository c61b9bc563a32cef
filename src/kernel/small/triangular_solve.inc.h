/* triangular_solve: included by every instruction set and by the reference; the compiler splits `wide_lanes`
 * into registers of the processor. */
#include "kernel/small/triangular_solve.h"

/* The same entry of eight vectors. */
typedef double wide_lanes __attribute__((vector_size(64)));
struct lane_pair {
    wide_lanes a, b; /* two independent chains hide the latency of an addition */
};

/* Rows that share the loads of x; the same bits as row by row. */
enum { TRIANGLE_ROWS = 4 };

/* L y = x for some rows, after all rows before them. */
static inline void lower_rows(const double *l, size_t n, size_t from, const int rows, struct lane_pair *x)
{
    struct lane_pair y[TRIANGLE_ROWS];
    const double *row[TRIANGLE_ROWS];
    for (int r = 0; r < rows; r++) {
        y[r] = x[from + (size_t)r];
        row[r] = l + (from + (size_t)r) * n;
    }
    for (size_t j = 0; j < from; j++)
        for (int r = 0; r < rows; r++) {
            y[r].a -= row[r][j] * x[j].a;
            y[r].b -= row[r][j] * x[j].b;
        }
    for (int r = 0; r < rows; r++) {
        for (int s = 0; s < r; s++) {
            y[r].a -= row[r][from + (size_t)s] * y[s].a;
            y[r].b -= row[r][from + (size_t)s] * y[s].b;
        }
        const double diagonal = row[r][from + (size_t)r];
        y[r] = (struct lane_pair){y[r].a / diagonal, y[r].b / diagonal};
        x[from + (size_t)r] = y[r];
    }
}

/* L' y = x for some rows, after all rows below them; subtracts their part from all rows above. */
static inline void upper_rows(const double *l, size_t n, size_t from, const int rows, struct lane_pair *x)
{
    struct lane_pair y[TRIANGLE_ROWS];
    const double *row[TRIANGLE_ROWS];
    for (int r = 0; r < rows; r++) {
        y[r] = x[from + (size_t)r];
        row[r] = l + (from + (size_t)r) * n;
    }
    for (int r = rows - 1; r >= 0; r--) {
        for (int s = rows - 1; s > r; s--) {
            y[r].a -= row[s][from + (size_t)r] * y[s].a;
            y[r].b -= row[s][from + (size_t)r] * y[s].b;
        }
        const double diagonal = row[r][from + (size_t)r];
        y[r] = (struct lane_pair){y[r].a / diagonal, y[r].b / diagonal};
        x[from + (size_t)r] = y[r];
    }
    for (size_t j = 0; j < from; j++) {
        /* column access to L' is row access to L: the part of the solved rows is subtracted at once */
        struct lane_pair z = x[j];
        for (int r = rows - 1; r >= 0; r--) {
            z.a -= row[r][j] * y[r].a;
            z.b -= row[r][j] * y[r].b;
        }
        x[j] = z;
    }
}

/* Forward substitution L y = x from the first row on, then back substitution with the transpose from the last row
 * on, in place. Rows that form no group of TRIANGLE_ROWS are at the end of the matrix in both directions. */
static inline void triangular_solve_run(const double *l, size_t n, double *numbers)
{
    struct lane_pair *x = (struct lane_pair *)numbers;
    size_t even = n - n % TRIANGLE_ROWS;
    for (size_t i = 0; i < even; i += TRIANGLE_ROWS)
        lower_rows(l, n, i, TRIANGLE_ROWS, x);
    for (size_t i = even; i < n; i++)
        lower_rows(l, n, i, 1, x);
    for (size_t i = n; i > even; i--)
        upper_rows(l, n, i - 1, 1, x);
    for (size_t i = even; i > 0; i -= TRIANGLE_ROWS)
        upper_rows(l, n, i - TRIANGLE_ROWS, TRIANGLE_ROWS, x);
}
