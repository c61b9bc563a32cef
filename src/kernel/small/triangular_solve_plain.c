/* triangle_plain: the reference; its vectors are those that every processor has. */
#include "kernel/small/triangular_solve.inc.h"

void triangle_plain(const double *l, size_t n, double *x)
{
    triangular_solve_run(l, n, x);
}
