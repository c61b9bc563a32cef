/* finish: from the answer to a model for raw rows, and a report. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "train/remote/train_remote.h"
#include "train/train_state.h"

static temper_stop stop_of(const struct training_run *t)
{
    static const temper_stop stops[] = {TEMPER_STOP_CONVERGED, TEMPER_STOP_MAX_ITER, TEMPER_STOP_STALLED,
                                        TEMPER_STOP_INTERRUPTED, TEMPER_STOP_PLATEAU};
    return t->stopped_early && t->stop == OPTIM_STOPPED && !t->interrupted ? TEMPER_STOP_VALIDATION : stops[t->stop];
}

/* ---- The model ------------------------------------------------------------------------------- */

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = mem_alloc(size, 1);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

static bool copy_names(const struct dataset *data, struct model *model)
{
    for (size_t c = 0; c < data->classes.count; c++)
        if (classes_add(&model->classes, data->classes.name[c], strlen(data->classes.name[c])) >= CLASSES_FULL)
            return false;
    if (!data->features.count)
        return true;
    model->feature_names.name = (char **)mem_zeroed(data->features.count, sizeof *data->features.name);
    if (!model->feature_names.name)
        return false;
    model->feature_names.count = data->features.count;
    for (size_t j = 0; j < data->features.count; j++)
        if (!(model->feature_names.name[j] = copy_text(data->features.name[j])))
            return false;
    return true;
}

static bool copy_scale(const struct training_run *t, struct model *model)
{
    size_t columns = model->features;
    model->scale.kind = t->ground->scale.kind;
    model->scale.columns = columns;
    if (t->ground->scale.kind == SCALE_NONE)
        return true;
    model->scale.constants = t->ground->scale.constants;
    model->scale.offset = mem_alloc(columns, sizeof(double));
    model->scale.factor = mem_alloc(columns, sizeof(double));
    if (!model->scale.offset || !model->scale.factor)
        return false;
    memcpy(model->scale.offset, t->ground->scale.offset, columns * sizeof(double));
    memcpy(model->scale.factor, t->ground->scale.factor, columns * sizeof(double));
    return true;
}

static void add_weights(void *context, void *state)
{
    const struct dataset *data = ((const struct training_run *)context)->data;
    double *sum = state;
    for (uint64_t row = 0; row < data->x.rows; row++)
        *sum += data->weight ? data->weight[row] : 1;
}

static temper_status describe(struct training_run *t, const temper_train_report *report, struct training *training)
{
    const temper_train_options *options = t->options;
    snprintf(training->solver, sizeof training->solver, "%s", report->solver);
    snprintf(training->stop, sizeof training->stop, "%s", temper_stop_name(report->stop));
    snprintf(training->init, sizeof training->init, "%s",
             options->warm_start ? "warm"
             : options->init     ? options->init
                                 : "zero");
    snprintf(training->precision, sizeof training->precision, "%s", report->precision);
    memcpy(training->fingerprint, t->fingerprint, sizeof t->fingerprint);
    training->tolerance = options->tolerance;
    training->max_iterations = options->max_iterations;
    training->seed = options->seed;
    training->rows = dataset_all_rows(t->data);
    training->objective = report->objective;
    training->loss = report->train_loss;
    training->gradient = report->gradient_norm;
    training->accuracy = report->accuracy;
    training->iterations = report->iterations;
    training->evaluations = report->evaluations;
    training->starts = options->starts;
    training->weight_sum = t->plan ? t->plan->all.weight_sum : 0;
    if (t->plan)
        return TEMPER_OK;
    return comm_in_turn(t->data->ranks.comm, add_weights, t, &training->weight_sum, sizeof training->weight_sum,
                        t->error);
}

static temper_status make_model(struct training_run *t, const temper_train_report *report, struct model **out)
{
    struct model *model;
    temper_status status = model_new(t->data->classes.count, (size_t)t->data->x.columns, &model, t->error);
    if (status != TEMPER_OK)
        return status;
    model->loss = t->loss;
    model->l2 = t->l2;
    model->intercept = !t->options->no_intercept;
    scaled_features_raw_weights(
        t->ground, (struct solution){t->answer, model->vectors, model->intercept},
        (struct raw_weights){
            .weights = model->weights, .column_step = 1, .vector_step = model->features, .bias = model->bias});
    status = describe(t, report, &model->training);
    if (status != TEMPER_OK) {
        model_free(model);
        return status;
    }
    if (!copy_names(t->data, model) || !copy_scale(t, model)) {
        model_free(model);
        return error_no_memory(t->error);
    }
    if (t->given->schema)
        status = schema_copy(t->given->schema, &model->schema, t->error);
    if (status != TEMPER_OK) {
        model_free(model);
        return status;
    }
    *out = model;
    return TEMPER_OK;
}

/* ---- The report ------------------------------------------------------------------------------ */

/* At the answer, with the loss that was asked for: what is reported is what is saved. */
static temper_status evaluate_answer(struct training_run *t, temper_train_report *report)
{
    double sum = 0, zero = t->answer_norm;
    bool again;
    training_set_loss(t, t->answer_loss, t->l2); /* a hinge: as it was rounded */
    temper_status status = training_evaluate(t, t->answer, &report->objective, &again);
    t->before.evaluations += !again;
    for (size_t i = 0; i < t->size; i++)
        sum += t->gradient[i] * t->gradient[i];
    report->gradient_norm = zero > 0 ? sqrt(sum) / zero : 0;
    if (status == TEMPER_OK && t->loss.method == TEMPER_HINGE) {
        training_set_loss(t, t->loss, t->l2);
        status = training_evaluate(t, t->answer, &report->objective, &again);
    }
    report->train_loss = objective_loss(t->objective);
    report->accuracy = objective_accuracy(t->objective);
    if (status == TEMPER_OK && !isfinite(report->objective))
        return error_set(t->error, TEMPER_BAD_DATA, "the loss is not a finite number; pass --scale standard");
    return status;
}

static void fill_report(const struct training_run *t, temper_train_report *report)
{
    double row = (double)dataset_all_nonzeros(t->data) / (double)dataset_all_rows(t->data);
    report->stop = stop_of(t);
    report->solver = solver_name(t->solver);
    report->precision = t->f64 ? "f64" : "f32";
    report->loss = t->loss;
    report->l2 = t->l2;
    report->validation = t->valid ? t->valid_best : (double)NAN;
    report->iterations = t->before.iterations;
    report->evaluations = t->before.evaluations;
    report->products = t->before.products;
    report->hessians = t->before.hessians;
    /* A Hessian multiplies half of all pairs of entries where a pass multiplies each twice. */
    report->passes = (double)(report->evaluations + report->products) + (double)report->hessians * fmax(1, row / 4);
    report->resumed = t->resumed;
}

temper_status training_finish(struct training_run *t, struct model **model, temper_train_report *report)
{
    temper_train_report made = {0};
    struct model *trained = NULL;
    if (!t->fingerprint[0]) {
        temper_status status = dataset_fingerprint(t->given, t->threads, t->fingerprint, t->error);
        if (status != TEMPER_OK)
            return status;
    }
    temper_status status = evaluate_answer(t, &made);
    if (status != TEMPER_OK)
        return status;
    fill_report(t, &made);
    status = refuse_plateau(t, &made);
    if (status == TEMPER_OK)
        status = make_model(t, &made, &trained);
    if (status != TEMPER_OK)
        return status;
    status = warn_user(t, &made);
    if (status != TEMPER_OK) {
        model_free(trained);
        return status;
    }
    made.seconds = training_clock() - t->started;
    *report = made;
    *model = trained;
    return TEMPER_OK;
}
