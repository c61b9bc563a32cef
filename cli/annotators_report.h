/* annotators_report: what temper annotators prints and writes. */
#ifndef CLI_ANNOTATORS_REPORT_H
#define CLI_ANNOTATORS_REPORT_H

#include <stdio.h>

#include "temper_extra.h"

struct annotators_result {
    const temper_votes *votes;
    temper_consensus_report report;
    const char *method;
    size_t features; /* of DATA; 0: none */
    size_t again;    /* so many items of report.again are listed */
    double seconds_read;
    struct annotator_order *order; /* by annotators_order: the annotators to look at first */
    size_t *rank;                  /* by annotators_order, of each item: its place among those to label again, or 0 */
};

/* Fills `order` and `rank`, which the caller frees, also after a failure. */
temper_status annotators_order(struct annotators_result *result);

/* For people. */
void annotators_print_text(FILE *out, const struct annotators_result *result);
/* One JSON object. */
void annotators_print_json(FILE *out, const struct annotators_result *result);
/* CSV: a line for each item, and a line for each annotator. */
void annotators_print_consensus(FILE *out, const struct annotators_result *result);
void annotators_print_annotators(FILE *out, const struct annotators_result *result);

#endif
