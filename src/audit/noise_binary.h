/* noise_two: how many labels of two classes are wrong, and which.
 *
 * Of a row is known what models say that have not seen it, and what labels its neighbours have;
 * none depends on the row's own label. The second class is the true one with the probability
 * logistic(bent(slope . evidence + shift)), and a row of class c has the other label with the
 * probability rate[c]. Where classes overlap, the labels of the surest rows alone tell the rate, so
 * that it stays uncertain: hence a range. */
#ifndef AUDIT_NOISE_BINARY_H
#define AUDIT_NOISE_BINARY_H

#include <stddef.h>
#include <stdint.h>

enum { TWO_EVIDENCE = 3 };

struct binary_rows {
    const double *evidence; /* [row * TWO_EVIDENCE]: for the second class and against the first, by
                               fits, votes and curves */
    const uint32_t *given;
    size_t rows;
    double sure_rate;  /* share of wrong labels where there is no doubt, or 0: not known; and */
    double sure_error; /* its standard error */
};

struct noise_binary {
    double slope[TWO_EVIDENCE], shift;
    double bend; /* > 0: logits grow faster than the evidence far out; < 0: slower; about 0 */
    double rate[2];
};

/* The likeliest model; and the models at the ends of a range that has the share of wrong labels
 * with a probability of 90 %. Rates differ where that is much likelier than one for both. */
struct noise_binary_range {
    struct noise_binary best, low, high;
};

/* `near`, if not NULL, is a model of like rows to begin the search at. */
void noise_binary_fit(const struct binary_rows *rows, const struct noise_binary *near, struct noise_binary_range *out);

/* Of one row: log p(true class, given label) into out[2]; returns the logarithm of their sum. */
double noise_binary_row(const struct noise_binary *model, const double *evidence, uint32_t given, double *out);

/* What is known of a row without its label: above 0 for the second class. */
double noise_binary_known(const struct noise_binary *model, const double *evidence);

#endif
