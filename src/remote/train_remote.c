/* shards: the same story as that of train.c, with rows that lie elsewhere. */
#include "remote/train_remote.h"

#include <string.h>

#include "train/train.h"

/* What needs more than gradients needs the rows. */
static temper_status check_solver(const char *solver, temper_error *error)
{
    if (!solver || strcmp(solver, "auto") == 0 || strcmp(solver, "lbfgs") == 0)
        return TEMPER_OK;
    return error_set(error, TEMPER_USAGE, "the solver '%.64s' is not for shards, which give gradients only; try lbfgs",
                     solver);
}

temper_status train_shards(const struct shard_plan *plan, const temper_shard_engine *engine,
                           const temper_train_options *options, struct model **model, temper_train_report *report,
                           temper_error *error)
{
    const struct dataset rows = shard_plan_rows(plan);
    const struct scaled_features features = {.given = &rows, .data = &rows, .scale = plan->scale};
    temper_train_options agreed = *options;
    temper_status status = check_solver(options->solver, error);
    if (status != TEMPER_OK)
        return status;
    agreed.solver = "lbfgs";
    agreed.loss = plan->loss;
    agreed.l2 = plan->l2;
    agreed.precision = plan->f64 ? "f64" : "f32";
    agreed.no_intercept = !plan->intercept;
    const struct remote_rows remote = {.engine = engine,
                                       .class_weight = plan->all.class_weight,
                                       .weight_sum = plan->all.weight_sum,
                                       .fingerprint = plan->all.fingerprint};
    const struct train_request request = {
        .data = &rows, .features = &features, .options = &agreed, .error = error, .remote = &remote};
    return train_model(&request, model, report);
}
