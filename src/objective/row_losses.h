/* row_losses: losses and gradients of rows of activations that the caller has, as the output of a neural network.
 *
 * Rows are one after the other; blocks of them are transposed for the vector kernels (kernel/loss/softmax.h) and
 * processed in parallel. Blocks depend on the shape alone, so that any number of threads gives the same bits. */
#ifndef OBJECTIVE_ROW_LOSSES_H
#define OBJECTIVE_ROW_LOSSES_H

#include "base/status.h"

/* What the public call was given, with its defaults resolved (include/temper.h). */
struct row_losses {
    temper_loss_spec loss;
    const temper_loss_rows_options *batch;
    size_t stride; /* of activations, targets and gradients */
};

/* Checks everything that is the same for both types. */
temper_status row_losses_check(const struct row_losses *rows, temper_error *error);
/* Checks the targets, and fills losses and, unless NULL, gradients. */
temper_status row_losses_f32(const struct row_losses *rows, const float *a, float *losses, float *gradients,
                             temper_error *error);
temper_status row_losses_f64(const struct row_losses *rows, const double *a, double *losses, double *gradients,
                             temper_error *error);

#endif
