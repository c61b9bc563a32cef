/* evaluation: what 'temper eval' has found out, and the two ways to show it. */
#ifndef CLI_EVALUATION_H
#define CLI_EVALUATION_H

#include <stdio.h>

#include "temper.h"

struct evaluation {
    const temper_model *model;
    temper_evaluation found;
    unsigned long long dropped; /* rows with missing values */
    double seconds;
};

void evaluation_table(FILE *out, const struct evaluation *evaluation);
void evaluation_json(FILE *out, const struct evaluation *evaluation);
/* Which classes are taken for which; part of the table. */
void confusion_table(FILE *out, const struct evaluation *evaluation);

#endif
