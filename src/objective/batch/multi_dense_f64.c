/* multi_dense_f64: multi_dense.inc.h with doubles throughout. Sparse data uses its column functions too, since its
 * scores are doubles. The macros select the kernels of that type. */
typedef double real;
#define LINEAR     linear_f64
#define MANY       struct many_f64
#define MARGINS    margins_f64
#define RESIDUALS  residuals_f64
#define DENSE_ROWS dense_rows_f64
#include "objective/batch/multi_dense.inc.h"

/* The template's functions are static; these are their names for multi_objective.c and multi_sparse.c. */
void multi_pack_f64(struct multi_objective *multi)
{
    pack(multi);
}

/* Used by sparse data, the products of which are not those of this template. */
void multi_columns_f64(const struct multi_work *work, struct row_span span)
{
    all_columns(work, span);
}

void multi_part_f64(const struct multi_work *work, size_t part)
{
    part_run(work, part);
}
