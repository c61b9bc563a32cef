/* group_f32: a part of dense rows for many models, sums within a block in floats. */
typedef float real;
#define LINEAR     linear_f32
#define MANY       struct many_f32
#define MARGINS    margins_f32
#define RESIDUALS  residuals_f32
#define DENSE_ROWS dense_rows_f32
#include "objective/batch/multi_dense.inc.h"

void multi_pack_f32(struct group *group)
{
    pack(group);
}

void multi_part_f32(const struct multi_work *work, size_t part)
{
    part_run(work, part);
}
