/* api_losses: losses and gradients of rows of activations: check the options, and delegate to objective/row_losses. */
#include "api/api_internal.h"
#include "objective/row_losses.h"
#include "tempered/loss_family.h"

temper_loss_rows_options temper_loss_rows_defaults(void)
{
    return (temper_loss_rows_options){.struct_size = sizeof(temper_loss_rows_options), .ignored_label = -100};
}

/* The options of the caller in *full, and what the call computes in *rows. */
static temper_status resolve_batch(temper_loss_spec loss, const temper_loss_rows_options *batch,
                                   temper_loss_rows_options *full, struct row_losses *rows, temper_error *error)
{
    *full = temper_loss_rows_defaults();
    TRY(api_options(full, sizeof *full, batch, "loss_rows", error));
    *rows = (struct row_losses){
        .loss = loss_resolve(loss), .batch = full, .stride = full->stride ? full->stride : full->classes};
    return row_losses_check(rows, error);
}

temper_status temper_loss_rows_f32(temper_loss_spec loss, const temper_loss_rows_options *batch,
                                   const float *activations, float *losses, float *gradients, temper_error *error)
{
    temper_loss_rows_options full;
    struct row_losses rows;
    TRY(resolve_batch(loss, batch, &full, &rows, error));
    return row_losses_f32(&rows, activations, losses, gradients, error);
}

temper_status temper_loss_rows_f64(temper_loss_spec loss, const temper_loss_rows_options *batch,
                                   const double *activations, double *losses, double *gradients, temper_error *error)
{
    temper_loss_rows_options full;
    struct row_losses rows;
    TRY(resolve_batch(loss, batch, &full, &rows, error));
    return row_losses_f64(&rows, activations, losses, gradients, error);
}
