/* triangle_body: included by the file of each instruction set, and by the reference. */
#include "kernel/small/triangular_solve.h"

/* Some vectors' numbers of the same place; compilers make registers of it, whatever their width. */
typedef double lanes __attribute__((vector_size(64)));
struct both {
    lanes a, b; /* two, so that neither waits for itself */
};

/* Rows that share what is read of x. Each number has the same bits as from rows one by one. */
enum { TRIANGLE_ROWS = 4 };

/* L y = x for some rows, those before them being done. */
static inline void lower_rows(const double *l, size_t n, size_t from, const int rows, struct both *x)
{
    struct both y[TRIANGLE_ROWS];
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
        y[r] = (struct both){y[r].a / diagonal, y[r].b / diagonal};
        x[from + (size_t)r] = y[r];
    }
}

/* L' y = x for some rows, those behind them being done; takes them from all before. */
static inline void upper_rows(const double *l, size_t n, size_t from, const int rows, struct both *x)
{
    struct both y[TRIANGLE_ROWS];
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
        y[r] = (struct both){y[r].a / diagonal, y[r].b / diagonal};
        x[from + (size_t)r] = y[r];
    }
    for (size_t j = 0; j < from; j++) {
        struct both z = x[j];
        for (int r = rows - 1; r >= 0; r--) {
            z.a -= row[r][j] * y[r].a;
            z.b -= row[r][j] * y[r].b;
        }
        x[j] = z;
    }
}

static inline void triangular_solve_run(const double *l, size_t n, double *numbers)
{
    struct both *x = (struct both *)numbers;
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
