/* audit_report: the labels to look at again, as a page. */
#ifndef REPORT_AUDIT_REPORT_H
#define REPORT_AUDIT_REPORT_H

#include "base/text.h"
#include "temper.h"

struct audit_page {
    const temper_audit_report *report;
    size_t count;       /* suspects that are listed */
    const char *source; /* the file */
    size_t dropped;     /* rows that are not in it, for missing values */
    const char *const *class_names;
    const char *review; /* the section of the rows, of review_section */
};

/* Memory that ended is noted in the text. */
void audit_page_write(struct text *out, const struct audit_page *page);

#endif
