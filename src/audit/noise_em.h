/* noise_model: which classes have become which, from evidence about rows and their given labels.
 *
 * The true class of a row has the probabilities softmax(sharpness * evidence); a row of class c is
 * given the label g with the probability transition[c][g]. Sharpness and transition are those that
 * make the given labels likeliest, found by expectation maximisation; what follows from them is
 * calibrated, where noise depends on the class alone. For more than two classes: see noise_two.h.
 */
#ifndef AUDIT_NOISE_EM_H
#define AUDIT_NOISE_EM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* More classes leave too few rows a pair: there noise is taken to be even. */
enum { NOISE_CLASSES = 256 };

struct noise_rows {
    const double *evidence; /* [row * classes + class] */
    const uint32_t *given;
    size_t rows, classes;
};

struct noise_em {
    size_t classes;
    double sharpness;
    double rate;        /* share of wrong labels */
    double *transition; /* [true * classes + given]; NULL: even, by the rate alone */
    double likelihood;  /* of the given labels: mean logarithm */
    double even;        /* the same for noise that is even */
    bool in_pairs;      /* transition is much likelier than even noise */
};

/* Begins at `out` as it is: zeros for the first time. Untouched on failure. */
temper_status noise_em_fit(const struct noise_rows *rows, struct noise_em *out, temper_error *error);
void noise_em_free(struct noise_em *model);

/* Of one row: log p(true class, given label), up to what all classes share, into out[classes];
 * returns the logarithm of their sum. */
double noise_em_row(const struct noise_em *model, const double *evidence, uint32_t given, double *out);

#endif
