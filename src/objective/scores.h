/* scores: the scores x . w_k + b_k of the rows of a matrix under a linear model, in doubles. */
#ifndef OBJECTIVE_SCORES_H
#define OBJECTIVE_SCORES_H

#include "data/matrix.h"

struct kernel;

struct linear_model {
    const double *weights; /* [column * vectors + vector] */
    const double *bias;    /* [vector] */
    size_t vectors;
    size_t columns;            /* a matrix with more columns must be sparse; the surplus is left out */
    bool logs;                 /* features are log(1 + x) */
    const struct kernel *best; /* the fastest kernel of this machine, so that it need not be probed; or NULL */
};

/* Scores of some rows, one after the other: [vector * stride + i], readable up to the next multiple of SOFTMAX_PAD. */
struct score_rows {
    size_t from, count, stride;
    const double *score;
};

/* Takes the scores of some rows; `worker` selects its workspace. */
typedef void score_rows_fn(void *context, const struct score_rows *rows, size_t worker);

/* Calls take() for blocks of rows, which together are all rows, on up to `threads` threads: the scores stay in the
 * cache. TEMPER_BAD_DATA if a value is not finite. */
temper_status scores_each(const struct matrix *x, const struct linear_model *model, size_t threads, score_rows_fn *take,
                          void *context, temper_error *error);

/* The kernels for such a model; NULL, and an error, if TEMPER_KERNEL names none that runs here. */
const struct kernel *scores_kernel(const struct kernel *best, temper_error *error);

/* out[row * vectors + vector]; the same bits for any number of threads. */
temper_status activations(const struct matrix *x, const struct linear_model *model, size_t threads, double *out,
                          temper_error *error);

#endif
