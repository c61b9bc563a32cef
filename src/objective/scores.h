/* scores: the scores x . w_k + b_k of the rows of a matrix under a linear model, in doubles. */
#ifndef OBJECTIVE_SCORES_H
#define OBJECTIVE_SCORES_H

#include "data/matrix.h"

struct linear_model {
    const double *weights; /* [column * vectors + vector] */
    const double *bias;    /* [vector] */
    size_t vectors;
    size_t columns; /* a matrix with more columns must be sparse; the surplus is left out */
    bool logs;      /* features are log(1 + x) */
};

/* out[row * vectors + vector]; the same bits for any number of threads. */
temper_status activations(const struct matrix *x, const struct linear_model *model, size_t threads, double *out,
                          temper_error *error);

#endif
