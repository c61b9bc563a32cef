/* dense_f32: dense.inc.h with floats within a block, half the memory traffic of doubles; sums over blocks are doubles.
 */
#include <stdint.h>

typedef float real;
#define REAL_KIND  MATRIX_F32
#define LINEAR     linear_f32
#define RESIDUAL   residual_f32
#define WEIGHTS(o) ((o)->weights.f32)
#define ROWS       struct rows_f32
#define MANY       struct many_f32
#define MANY_ROWS  multiclass_rows_f32
/* The narrower type, bytes, is converted within the products: a converted copy of each block would cost more time than
 * the products. */
#define OTHER_KIND  MATRIX_U8
#define OTHER_ROWS  struct rows_u8
#define OTHER_TIMES times_u8
#define OTHER_BACK  back_u8
typedef uint8_t other;
#include "objective/dense.inc.h"

/* The template's functions are static; these are their names in this precision. */
void dense_part_f32(const struct pass_work *work, size_t part)
{
    part_run(work, part);
}

/* Also used by gram/ and batch/. */
const float *dense_rows_f32(const struct kernel *kernel, const struct matrix *x, struct row_span span,
                            const struct scale *scale, void *space)
{
    return rows_of(kernel, x, span, scale, space);
}
