/* crossval_inside: candidates on their way, which two files know. */
#ifndef SEARCH_CROSSVAL_INTERNAL_H
#define SEARCH_CROSSVAL_INTERNAL_H

#include "search/crossval.h"
#include "search/many_fits.h"

/* What one fit gives, on the rows that it has not seen. */
struct sums {
    double weight, correct, log_loss, brier;
    double trusted, trusted_right;
};

/* The same of one row. */
struct row_losses {
    double log_loss, brier;
    bool unseen, correct;
};

/* One candidate on its way. */
struct trial {
    size_t candidate;
    size_t left; /* parts that have not ended */
    struct sums *sums;
    uint16_t *predicted[2]; /* of the halves only: of the rows here */
    double *confidence;
};

struct batch {
    struct crossval *cv;
    int stage;
    size_t parts;
    struct trial *trial;
    size_t trials;
    struct fit_spec *fit;
    double *p, *trusted_activation; /* space */
    struct row_losses *loss;        /* of the rows here, of one fit */
};

/* Takes down what a fit says of the rows that it has not seen, and measures the candidate whose
 * last one it was; the context is a batch. */
temper_status crossval_fit_ended(void *context, const struct fit_end *end, temper_error *error);

#endif
