/* gram_dense_f64: gram_dense.inc.h in doubles. */
typedef double real;
#define ROWS       struct rows_f64
#define LINEAR     linear_f64
#define DENSE_ROWS dense_rows_f64
#include "objective/gram/gram_dense.inc.h"

/* The template's functions are static; these are their names in this precision. */
void gram_dense_f64(const struct gram_work *m, struct row_span span, struct gram_lines lines, double *outer,
                    struct pass_scratch *scratch)
{
    add_rows(m, span, lines, outer, scratch);
}

void gram_collected_f64(const struct gram_work *m, struct gram_lines lines, double *outer, struct pass_scratch *scratch)
{
    update_collected(m, lines, outer, scratch);
}
