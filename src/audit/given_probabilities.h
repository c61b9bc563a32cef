/* given_probabilities: which rows of numbers are probabilities. */
#ifndef AUDIT_GIVEN_PROBABILITIES_H
#define AUDIT_GIVEN_PROBABILITIES_H

#include <stdbool.h>
#include <stddef.h>

#include "data/dataset.h"

/* Why a row of numbers is refused: they "sum to" 1.5, or "include" -0.1. */
struct probability_fault {
    const char *what;
    double value;
};

/* Whether p[classes] are not probabilities: negative, not finite, or with a sum that is not about 1. */
bool probabilities_are_bad(const double *p, size_t classes, struct probability_fault *fault);

/* temper_audit_read_probabilities, in internal types. */
temper_status probabilities_read(const char *path, const struct dataset *data, double *out, bool *named,
                                 temper_error *error);

#endif
