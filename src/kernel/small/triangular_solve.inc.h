/* triangular_solve: included by every instruction set and by the reference.
 *
 * The vectors are solved for in strips of two registers. Registers of the processor's own width matter: GCC keeps
 * vectors that are wider than the processor's in memory, which takes twenty times as long. */
#include "kernel/small/triangular_solve.h"

#if defined(__AVX512F__)
#define TRIANGLE_BYTES 64
#elif defined(__AVX2__)
#define TRIANGLE_BYTES 32
#else
#define TRIANGLE_BYTES 16
#endif

/* The same entry of several vectors. */
typedef double triangle_lanes __attribute__((vector_size(TRIANGLE_BYTES)));

enum {
    TRIANGLE_ROWS = 4,  /* rows that share the loads of x; the same bits as row by row */
    TRIANGLE_STRIP = 2, /* registers of a strip: two independent chains hide the latency of an addition */
    TRIANGLE_STEP = TRIANGLE_LANES * sizeof(double) / TRIANGLE_BYTES, /* registers of one entry of all vectors */
};

#define TRIANGLE_INLINE static inline __attribute__((always_inline))

/* L y = x for some rows of a strip, after all rows before them. `rows` is a constant, so that y is in registers. */
TRIANGLE_INLINE void lower_rows(const double *l, size_t n, size_t from, const int rows, triangle_lanes *x)
{
    triangle_lanes a[TRIANGLE_ROWS], b[TRIANGLE_ROWS];
    const double *row = l + from * n;
    for (int r = 0; r < rows; r++) {
        a[r] = x[(from + (size_t)r) * TRIANGLE_STEP];
        b[r] = x[(from + (size_t)r) * TRIANGLE_STEP + 1];
    }
    for (size_t j = 0; j < from; j++)
        for (int r = 0; r < rows; r++) {
            a[r] -= row[(size_t)r * n + j] * x[j * TRIANGLE_STEP];
            b[r] -= row[(size_t)r * n + j] * x[j * TRIANGLE_STEP + 1];
        }
    for (int r = 0; r < rows; r++) {
        const double *here = row + (size_t)r * n + from;
        for (int s = 0; s < r; s++) {
            a[r] -= here[s] * a[s];
            b[r] -= here[s] * b[s];
        }
        a[r] /= here[r];
        b[r] /= here[r];
        x[(from + (size_t)r) * TRIANGLE_STEP] = a[r];
        x[(from + (size_t)r) * TRIANGLE_STEP + 1] = b[r];
    }
}

/* L' y = x for some rows of a strip, after all rows below them; subtracts their part from all rows above. */
TRIANGLE_INLINE void upper_rows(const double *l, size_t n, size_t from, const int rows, triangle_lanes *x)
{
    triangle_lanes a[TRIANGLE_ROWS], b[TRIANGLE_ROWS];
    const double *row = l + from * n;
    if (rows < 1) /* never; static analysers see by it that all of a and b is set */
        return;
    for (int r = rows - 1; r >= 0; r--) {
        const double diagonal = row[(size_t)r * n + from + (size_t)r];
        a[r] = x[(from + (size_t)r) * TRIANGLE_STEP];
        b[r] = x[(from + (size_t)r) * TRIANGLE_STEP + 1];
        for (int s = rows - 1; s > r; s--) {
            a[r] -= row[(size_t)s * n + from + (size_t)r] * a[s];
            b[r] -= row[(size_t)s * n + from + (size_t)r] * b[s];
        }
        a[r] /= diagonal;
        b[r] /= diagonal;
        x[(from + (size_t)r) * TRIANGLE_STEP] = a[r];
        x[(from + (size_t)r) * TRIANGLE_STEP + 1] = b[r];
    }
    for (size_t j = 0; j < from; j++) {
        /* column access to L' is row access to L: the part of the solved rows is subtracted at once */
        triangle_lanes c = x[j * TRIANGLE_STEP], d = x[j * TRIANGLE_STEP + 1];
        for (int r = rows - 1; r >= 0; r--) {
            c -= row[(size_t)r * n + j] * a[r];
            d -= row[(size_t)r * n + j] * b[r];
        }
        x[j * TRIANGLE_STEP] = c;
        x[j * TRIANGLE_STEP + 1] = d;
    }
}

/* Forward substitution L y = x from the first row on, then back substitution with the transpose from the last row
 * on, in place, for one strip. Rows that form no group of TRIANGLE_ROWS are at the end of the matrix in both
 * directions. */
static inline void triangular_solve_strip(const double *l, size_t n, triangle_lanes *x)
{
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

/* All strips; a factor of usual size stays in the cache between them. */
static inline void triangular_solve_run(const double *l, size_t n, double *numbers)
{
    triangle_lanes *x = (triangle_lanes *)numbers;
    for (size_t strip = 0; strip < TRIANGLE_STEP; strip += TRIANGLE_STRIP)
        triangular_solve_strip(l, n, x + strip);
}
