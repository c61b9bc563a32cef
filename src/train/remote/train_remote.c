/* shards: the same story as that of train.c, with rows that lie elsewhere. */
#include "train/remote/train_remote.h"

#include <math.h>
#include <string.h>

#include "train/train_state.h"

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
    const struct scaled_features ground = {.given = &rows, .data = &rows, .scale = plan->scale};
    temper_train_options agreed = *options;
    temper_status status = check_solver(options->solver, error);
    if (status != TEMPER_OK)
        return status;
    agreed.solver = "lbfgs";
    agreed.loss = plan->loss;
    agreed.l2 = plan->l2;
    agreed.precision = plan->f64 ? "f64" : "f32";
    agreed.no_intercept = !plan->intercept;
    struct training_run t = {.given = &rows,
                             .data = &rows,
                             .ground = &ground,
                             .plan = plan,
                             .engine = engine,
                             .options = &agreed,
                             .error = error,
                             .valid_best = INFINITY,
                             .started = training_clock()};
    memcpy(t.fingerprint, plan->all.fingerprint, sizeof t.fingerprint);
    return training_execute(&t, model, report);
}
