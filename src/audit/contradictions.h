/* contradictions: how the labels that contradict the evidence are spread over the rows, from the surest to the least
 * sure. Overlapping classes are contradicted where evidence is weak; random noise everywhere alike; noise that depends
 * on the features may be found most where evidence is strong. */
#ifndef AUDIT_CONTRADICTIONS_H
#define AUDIT_CONTRADICTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct contradictions {
    double share;     /* of all rows */
    bool independent; /* some rows are contradicted, and these are not less sure than the others */
    bool by_rule;     /* the surest rows are contradicted more often than others */
};

/* The largest score of a row less the second, which is negative if the largest is not that of the given label. */
double signed_margin(const double *score, size_t classes, uint32_t given);

/* Sorts margin[rows], which are those of signed_margin, by size. TEMPER_NO_MEMORY at worst. */
temper_status contradictions_of(double *margin, size_t rows, struct contradictions *found);

#endif
