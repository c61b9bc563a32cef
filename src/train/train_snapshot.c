/* train_snapshot: the model of a training that is in progress, for callbacks that evaluate it. */
#include <stdio.h>
#include <string.h>

#include "train/train_state.h"

/* Describes a training that has not ended, without what takes a pass over the rows. */
static void describe_snapshot(const struct train_snapshot *snapshot, struct model_training *training)
{
    const struct train_state *train = snapshot->train;
    const temper_train_options *options = train->request->options;
    double norm = train->progress.scale.norm;
    snprintf(training->solver, sizeof training->solver, "%s", solver_name(train->progress.solver));
    snprintf(training->stop, sizeof training->stop, "%s", temper_stop_name(TEMPER_STOP_INTERRUPTED));
    snprintf(training->init, sizeof training->init, "%s", options->warm_start ? "warm" : "zero");
    snprintf(training->precision, sizeof training->precision, "%s", train->plan.f64 ? "f64" : "f32");
    memset(training->fingerprint, '0', sizeof training->fingerprint - 1);
    training->tolerance = options->tolerance;
    training->max_iterations = options->max_iterations;
    training->seed = options->seed;
    training->rows = dataset_all_rows(train->plan.data);
    training->weight_sum = (double)training->rows;
    training->objective = training->loss = snapshot->now->value;
    training->gradient = norm > 0 ? snapshot->now->gradient_norm / norm : 0;
    training->accuracy = objective_accuracy(train->progress.objective);
    training->iterations = snapshot->now->iteration;
    training->evaluations = snapshot->now->evaluations;
    training->starts = options->starts;
}

temper_status train_snapshot_model(const struct train_snapshot *snapshot, struct model **model, temper_error *error)
{
    const struct dataset *data = snapshot->train->plan.data;
    struct model *made;
    TRY(model_new(data->classes.count, (size_t)snapshot->train->plan.features->data->x.columns, &made, error));
    temper_status status = train_fill_model(snapshot->train, snapshot->now->w, made, error);
    if (status != TEMPER_OK) {
        model_free(made);
        return status;
    }
    describe_snapshot(snapshot, &made->training);
    *model = made;
    return TEMPER_OK;
}
