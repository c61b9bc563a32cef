/* noise_binary: how many labels of two classes are wrong, and which.
 *
 * Evidence about a row is independent of the row's own label: scores of models that have not seen it, labels of its
 * neighbours, and a regression without its fold. The second class is the true one with the probability
 * logistic(h(slope . evidence + shift)), h being a power function with the exponent exp(log_exponent), and a row of
 * class c has the other label with the probability rate[c]. Where classes overlap, only the labels of the surest rows
 * contain information about the rate, so that it remains uncertain: hence a range. */
#ifndef AUDIT_NOISE_BINARY_H
#define AUDIT_NOISE_BINARY_H

#include <stddef.h>
#include <stdint.h>

enum { BINARY_EVIDENCE = 3 }; /* by fits, votes of the neighbours and rff_ridge.h */

struct noise_binary_rows {
    const double *evidence; /* [row * BINARY_EVIDENCE + i], positive for the second class */
    const uint32_t *given;
    size_t rows;
    double sure_rate;  /* share of wrong labels among the surest rows, or 0: not known; and */
    double sure_error; /* its standard error */
};

struct noise_binary {
    double slope[BINARY_EVIDENCE], shift;
    double log_exponent; /* > 0: logits grow faster than the evidence far from 0; < 0: slower; about 0 */
    double rate[2];
};

/* The maximum a posteriori model, and the models at the ends of the 90 % credible range of the share of wrong labels.
 * The rates of the classes differ where that is much likelier than one rate for both. */
struct noise_binary_range {
    struct noise_binary best, low, high;
};

/* `near`, unless NULL, is a model of similar rows to start from. */
void noise_binary_fit(const struct noise_binary_rows *rows, const struct noise_binary *near,
                      struct noise_binary_range *out);

/* Of one row: log p(true class, given label) into out[2]; returns the logarithm of their sum. */
double noise_binary_row(const struct noise_binary *model, const double *evidence, uint32_t given, double *out);

/* slope . evidence + shift: positive for the second class. */
double noise_binary_logit(const struct noise_binary *model, const double *evidence);

#endif
