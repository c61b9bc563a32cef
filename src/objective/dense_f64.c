/* dense_f64: dense.inc.h with doubles throughout. The macros select the kernels and arrays of that type. */
typedef double real;
#define REAL_KIND  MATRIX_F64
#define LINEAR     linear_f64
#define RESIDUAL   residual_f64
#define WEIGHTS(o) ((o)->weights.raw)
#define ROWS       struct rows_f64
#define MANY       struct many_f64
#define MANY_ROWS  multiclass_rows_f64
/* The narrower type, floats, is converted within the products, without a copy of the block. */
#define OTHER_KIND  MATRIX_F32
#define OTHER_ROWS  struct rows_f32
#define OTHER_TIMES times_f32
#define OTHER_BACK  back_f32
#define OTHER_FUSED fused_f32
typedef float other;
#include "objective/dense.inc.h"

/* The template's functions are static; these are their names in this precision. */
void dense_part_f64(const struct pass_work *work, size_t part)
{
    part_run(work, part);
}

/* Also used by gram/ and batch/. */
const double *dense_rows_f64(const struct kernel *kernel, const struct matrix *x, struct row_span span,
                             const struct scale *scale, void *space)
{
    return rows_of(kernel, x, span, scale, space);
}
