/* multi_dense_f32: multi_dense.inc.h with floats within a block, which halves the memory traffic of the products. Sums
 * over blocks are doubles all the same. The macros select the kernels of that type; the functions of the template are
 * static, and those at the end are their names for multi_objective.c. */
typedef float real;
#define LINEAR     linear_f32
#define MANY       struct many_f32
#define MARGINS    margins_f32
#define RESIDUALS  residuals_f32
#define DENSE_ROWS dense_rows_f32
#include "objective/batch/multi_dense.inc.h"

/* The template's functions are static; these are their names for multi_objective.c. */
void multi_pack_f32(struct multi_objective *multi)
{
    pack(multi);
}

void multi_part_f32(const struct multi_work *work, size_t part)
{
    part_run(work, part);
}
