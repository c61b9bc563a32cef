/* multiclass_f32: multiclass.inc.h with scores in floats. */
#include <stdint.h>

typedef float real;
typedef int32_t mask; /* as wide as `real`, for vectorised comparisons */
#define SOFTMAX       struct softmax_f32
#define RUN(o, block) (o)->kernel->softmax_f32(block)
enum { LABEL_ROWS = 64 }; /* rows that are compared with their labels at a time, in registers and the L1 cache */
#include "objective/multiclass.inc.h"

/* One block of a pass. PASS_MULTIPLY needs doubles (objective_can_multiply), so it does not occur here. */
void multiclass_rows_f32(const struct pass_work *work, struct row_span span, const float *activation, float *r)
{
    if (work->pass == PASS_EVALUATE)
        evaluate_rows(work, span, activation, r);
    else if (work->pass == PASS_WEIGH)
        weigh_rows(work, span, activation, r);
    else
        square_rows(work, span, activation);
}
