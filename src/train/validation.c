/* validation: rows that decide when to stop: after every iteration the loss on them is measured, and training ends when
 * it has not fallen for some iterations (early stopping).
 *
 * The validation rows have an objective of their own, with the scaling that was learnt from the training rows, the same
 * loss, and no penalty. The weights of the smallest loss are kept, and become the solution, wherever the optimiser
 * ended. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "data/classes.h"
#include "data/dist/scatter_rows.h"
#include "data/subset.h"
#include "train/train_state.h"

/* Renumbers the labels as the training data numbers its classes, which must include all of theirs. *valid is a
 * borrowing copy, so that the labels of the user stay as they are. */
static temper_status map_labels(const struct classes *classes, struct dataset *valid, temper_error *error)
{
    uint64_t row;
    temper_status status = classes_adopt(valid, classes, &row, error);
    if (status == TEMPER_BAD_DATA)
        return error_set(error, TEMPER_BAD_DATA,
                         "row %llu of the validation data has the class '%.64s', which the "
                         "training data does not have; drop it or pass --classes",
                         (unsigned long long)row + 1, valid->classes.name[valid->label[row]]);
    return status;
}

/* Whether any row has a positive weight: otherwise the mean loss is 0/0. */
static bool any_weight(const struct dataset *data)
{
    for (uint64_t row = 0; row < data->x.rows; row++)
        if (!data->weight || data->weight[row] > 0)
            return true;
    return false;
}

/* Refuses validation rows that the objective could not use: distributed ones, without labels or weights, or with other
 * features than the training data. */
static temper_status check_data(const struct dataset *train, const struct dataset *valid, temper_error *error)
{
    /* The scaling and the objective are made for one of the two layouts. */
    bool sparse = train->x.kind == MATRIX_CSR;
    TRY(scatter_refuse(valid, "validation", error));
    if (!valid->label)
        return error_set(error, TEMPER_BAD_DATA, "the validation data has no labels; give some, or train without it");
    if (!any_weight(valid))
        return error_set(error, TEMPER_BAD_DATA,
                         "the validation data has no rows that count; give some, or train without "
                         "it");
    if (valid->x.columns != train->x.columns || sparse != (valid->x.kind == MATRIX_CSR))
        return error_set(error, TEMPER_BAD_DATA,
                         "the validation data has %llu %s features, the training data %llu %s "
                         "ones; they must be alike",
                         (unsigned long long)valid->x.columns, valid->x.kind == MATRIX_CSR ? "sparse" : "dense",
                         (unsigned long long)train->x.columns, sparse ? "sparse" : "dense");
    /* Names are compared only where both have them: files without a header have none. */
    const struct names *ours = &train->features, *theirs = &valid->features;
    for (size_t j = 0; ours->count && theirs->count && j < ours->count; j++)
        if (strcmp(ours->name[j], theirs->name[j]) != 0)
            return error_set(error, TEMPER_BAD_DATA,
                             "feature %zu of the validation data is '%.40s', that of the training "
                             "data '%.40s'; they must come in the same order",
                             j + 1, theirs->name[j], ours->name[j]);
    return TEMPER_OK;
}

/* An objective over the validation rows, with the scaling, loss and precision of the training, and without a penalty,
 * which would favour small weights. */
static temper_status fill(const struct train_request *request, const struct train_plan *plan,
                          struct train_validation *out)
{
    temper_error *error = request->error;
    TRY(dataset_borrow((const struct dataset *)request->options->validation, &out->data, error));
    TRY(map_labels(&plan->data->classes, out->data, error));
    /* Other scalings are applied by the objective, row by row. */
    struct matrix raw = out->data->x;
    if (plan->features->logarithms)
        TRY(scale_matrix(&plan->features->scale, &raw, plan->threads, &out->data->x, error));
    struct objective_spec spec = {.data = out->data,
                                  .scale = scaled_features_scale(plan->features),
                                  .loss = plan->loss,
                                  .intercept = !request->options->no_intercept,
                                  .f64 = plan->f64,
                                  .threads = plan->threads,
                                  .keeps_threads = true};
    TRY(objective_new(&spec, &out->objective, error));
    out->gradient = mem_alloc(plan->size, sizeof *out->gradient);
    out->best = mem_zeroed(plan->size, sizeof *out->best);
    return out->gradient && out->best ? TEMPER_OK : error_no_memory(error);
}

/* Checks the validation rows and prepares their objective. *out is set before it is complete: it is freed with the
 * training, whatever the status. */
temper_status validation_new(const struct train_request *request, const struct train_plan *plan,
                             struct train_validation **out)
{
    TRY(check_data(plan->data, (const struct dataset *)request->options->validation, request->error));
    struct train_validation *made = mem_zeroed(1, sizeof *made);
    if (!made)
        return error_no_memory(request->error);
    /* The first loss that is measured is an improvement. */
    made->best_loss = INFINITY;
    *out = made;
    return fill(request, plan, made);
}

/* Accepts NULL, and one that could not be completed. */
void validation_free(struct train_validation *validation)
{
    if (!validation)
        return;
    objective_free(validation->objective);
    dataset_free(validation->data);
    mem_free(validation->gradient);
    mem_free(validation->best);
    mem_free(validation);
}

/* The mean loss on the validation rows. The gradient is computed too, and discarded: the objective has no call for the
 * value alone. */
temper_status validation_loss(struct train_validation *validation, const double *w, double *loss, temper_error *error)
{
    double value;
    TRY(objective_evaluate(validation->objective, w, &value, validation->gradient, error));
    *loss = objective_loss(validation->objective);
    return TEMPER_OK;
}

/* A copy of the best weights is kept, because the optimiser continues past them for `patience` iterations. */
temper_status validation_measure(struct train_validation *validation, const double *w, size_t patience, double *loss,
                                 temper_error *error)
{
    TRY(validation_loss(validation, w, loss, error));
    validation->since_best++;
    if (*loss < validation->best_loss) {
        /* A NaN is never better. */
        validation->best_loss = *loss;
        validation->since_best = 0;
        memcpy(validation->best, w, objective_size(validation->objective) * sizeof *w);
    }
    /* Read by `follow` in solve.c, which ends the phase, and by the report. */
    validation->stopped = validation->since_best >= patience;
    return TEMPER_OK;
}
