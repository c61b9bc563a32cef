/* noise_em: how often each class was given the label of another, from evidence about the rows and their given labels.
 *
 * The true class of a row has the probabilities softmax(sharpness * evidence); a row of class c is given the label g
 * with the probability transition[c][g]. Both are maximum likelihood estimates by expectation maximisation, after A. P.
 * Dawid and A. M. Skene, "Maximum likelihood estimation of observer error-rates using the EM algorithm" (1979), with
 * the evidence in place of several observers. The model assumes that noise depends on the class alone, not on the
 * features. For more than two classes: see noise_binary.h for two. */
#ifndef AUDIT_NOISE_EM_H
#define AUDIT_NOISE_EM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* With more classes there are too few rows for each pair of them, and noise is assumed to be uniform. */
enum { NOISE_CLASSES = 256 };

struct noise_em_rows {
    const double *evidence; /* [row * classes + class] */
    const uint32_t *given;
    size_t rows, classes;
};

struct noise_em {
    size_t classes;
    double sharpness;
    double rate;        /* share of wrong labels */
    double *transition; /* [true * classes + given]; NULL: uniform, by the rate alone */
    double likelihood;  /* mean log likelihood of the given labels */
    double uniform;     /* the same for uniform noise */
    bool in_pairs;      /* `transition` is much likelier than uniform noise */
};

/* Starts from *out, which is {0} the first time. *out is untouched on failure. */
temper_status noise_em_fit(const struct noise_em_rows *rows, struct noise_em *out, temper_error *error);
void noise_em_free(struct noise_em *model);

/* Of one row: log p(true class, given label), up to a constant of the row, into out[classes]; returns the logarithm of
 * their sum. */
double noise_em_row(const struct noise_em *model, const double *evidence, uint32_t given, double *out);

#endif
