/* gram_dense_f32: gram_dense.inc.h in floats. */
typedef float real;
#define ROWS       struct rows_f32
#define LINEAR     linear_f32
#define DENSE_ROWS dense_rows_f32
#include "objective/gram/gram_dense.inc.h"

/* The template's functions are static; these are their names in this precision. */
void gram_dense_f32(const struct gram_work *m, struct row_span span, struct gram_lines lines, double *outer,
                    struct pass_scratch *scratch)
{
    add_rows(m, span, lines, outer, scratch);
}

void gram_collected_f32(const struct gram_work *m, struct gram_lines lines, double *outer, struct pass_scratch *scratch)
{
    update_collected(m, lines, outer, scratch);
}
