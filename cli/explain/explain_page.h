/* explain_page: the page of temper explain --report. */
#ifndef CLI_EXPLAIN_PAGE_H
#define CLI_EXPLAIN_PAGE_H

#include "explain/explain_list.h"

enum {
    PAGE_ROWS = 12, /* the first rows of DATA, which are shown one by one */
    PAGE_KEPT = 100 /* contributions of each row that the sums of all rows are made of */
};

/* What the page shows of DATA. */
struct explain_rows_shown {
    size_t rows, dropped;                /* of DATA */
    const double *moved;                 /* of each term: the sum over rows of absolute contributions */
    const temper_row_explanation *first; /* [PAGE_ROWS], as many as there are */
    const temper_contribution *list;     /* [PAGE_ROWS * kept] */
    size_t kept;                         /* contributions of a row that were kept, of which `moved` is the sum */
};

/* Composes and writes the page; `shown` NULL: the model alone. Errors have been reported. */
temper_status explain_page_write(const struct explain_subject *subject, const struct explain_rows_shown *shown,
                                 const char *path);

#endif
