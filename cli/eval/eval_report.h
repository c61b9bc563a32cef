/* eval_report: an evaluation as text, and as JSON (eval_json.c). */
#ifndef CLI_EVAL_REPORT_H
#define CLI_EVAL_REPORT_H

#include <stdio.h>

#include "temper_extra.h"

struct eval_result {
    const temper_model *model; /* borrowed; source of the class names and the loss */
    temper_evaluation found;   /* metrics and the confusion matrix [given][predicted] */
    size_t positive;           /* two classes: the one that thresholds are about */
    size_t dropped;            /* rows with missing values */
    double seconds;            /* reading, predicting and measuring, which overlap */
};

void eval_print_table(FILE *out, const struct eval_result *result);
void eval_print_json(FILE *out, const struct eval_result *result);

/* The thresholds of the positive class, then that of the largest F1; NULL: none. */
const temper_threshold *eval_thresholds(const struct eval_result *result);

#endif
