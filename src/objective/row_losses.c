/* row_losses: the checks that both element types have in common. */
#include "objective/row_losses.h"

#include <inttypes.h>
#include <math.h>

#include "tempered/loss_family.h"
#include "tempered/target_losses.h"
#include "tempered/tempered_functions.h"

/* Is the loss a function of one row, with legal temperatures and parameters? */
static temper_status check_loss(temper_loss_spec loss, bool targets, temper_error *error)
{
    const temper_loss_parameter *wrong;
    if (loss_has_rounds(loss))
        return error_set(error, TEMPER_USAGE,
                         "loss %s is no function of activations: it depends on the other rows of a training; without "
                         "them it is \"logistic\"",
                         method_name(loss.method));
    if (!loss_parameters_legal(loss, &wrong))
        return error_set(error, TEMPER_USAGE, "parameter %s of loss %s is out of range", wrong->name,
                         method_name(loss.method));
    if (loss_has_temperatures(loss) && (!legal_temperature(loss.t1) || !legal_temperature(loss.t2)))
        return error_set(error, TEMPER_USAGE, "t1 and t2 have to be finite numbers, 0 or more, and are %g and %g",
                         loss.t1, loss.t2);
    if (loss.method == TEMPER_BREGMAN && !(loss.t1 < 2))
        return error_set(error, TEMPER_USAGE, "t1 of loss bregman has to be below 2, and is %g", loss.t1);
    if (targets && !loss_takes_targets(loss))
        return error_set(error, TEMPER_USAGE, "loss %s takes numbers of classes as labels, without smoothing",
                         method_name(loss.method));
    return TEMPER_OK;
}

/* Numbers of classes, or the number of rows that are left out. */
static temper_status check_labels(const temper_loss_rows_options *batch, temper_error *error)
{
    for (size_t i = 0; i < batch->rows; i++) {
        int64_t label = batch->labels[i];
        if ((label < 0 || (uint64_t)label >= batch->classes) && label != batch->ignored_label)
            return error_set(error, TEMPER_BAD_DATA, "label %" PRId64 " of row %zu is none of the %zu classes", label,
                             i, batch->classes);
    }
    return TEMPER_OK;
}

temper_status row_losses_check(const struct row_losses *rows, temper_error *error)
{
    const temper_loss_rows_options *batch = rows->batch;
    double smoothing = batch->label_smoothing;
    if (batch->classes == 0)
        return error_set(error, TEMPER_USAGE, "there has to be at least one class");
    if (rows->stride < batch->classes)
        return error_set(error, TEMPER_USAGE, "a stride of %zu is less than the %zu classes", rows->stride,
                         batch->classes);
    if (!batch->labels == !batch->targets)
        return error_set(error, TEMPER_USAGE, "give either labels or targets");
    if (!(smoothing >= 0 && smoothing <= 1))
        return error_set(error, TEMPER_USAGE, "label_smoothing has to be between 0 and 1, and is %g", smoothing);
    TRY(check_loss(rows->loss, batch->targets || smoothing > 0, error));
    return batch->labels ? check_labels(batch, error) : TEMPER_OK;
}
