/* validation: rows that tell when to stop. */
#include <string.h>

#include "base/memory.h"
#include "data/classes.h"
#include "data/dist/scatter_rows.h"
#include "data/subset.h"
#include "train/train_state.h"

/* Labels get the numbers of the training classes, which the rows must have. */
static temper_status map_labels(struct training_run *t, struct dataset *valid)
{
    uint64_t row;
    temper_status status = classes_adopt(valid, &t->data->classes, &row, t->error);
    if (status == TEMPER_BAD_DATA)
        return error_set(t->error, TEMPER_BAD_DATA,
                         "row %llu of the validation data has the class '%.64s', which the "
                         "training data does not have; drop it or pass --classes",
                         (unsigned long long)row + 1, valid->classes.name[valid->label[row]]);
    return status;
}

/* Whether any row has a weight. */
static bool counts(const struct dataset *data)
{
    for (uint64_t row = 0; row < data->x.rows; row++)
        if (!data->weight || data->weight[row] > 0)
            return true;
    return false;
}

static temper_status check_valid(const struct training_run *t, const struct dataset *valid)
{
    bool sparse = t->data->x.kind == MATRIX_CSR;
    temper_status status = scatter_refuse(valid, "validation", t->error);
    if (status != TEMPER_OK)
        return status;
    if (!valid->label)
        return error_set(t->error, TEMPER_BAD_DATA,
                         "the validation data has no labels; give some, or train without it");
    if (!counts(valid))
        return error_set(t->error, TEMPER_BAD_DATA,
                         "the validation data has no rows that count; give some, or train without "
                         "it");
    if (valid->x.columns != t->data->x.columns || sparse != (valid->x.kind == MATRIX_CSR))
        return error_set(t->error, TEMPER_BAD_DATA,
                         "the validation data has %llu %s features, the training data %llu %s "
                         "ones; they must be alike",
                         (unsigned long long)valid->x.columns, valid->x.kind == MATRIX_CSR ? "sparse" : "dense",
                         (unsigned long long)t->data->x.columns, sparse ? "sparse" : "dense");
    const struct names *ours = &t->data->features, *theirs = &valid->features;
    for (size_t j = 0; ours->count && theirs->count && j < ours->count; j++)
        if (strcmp(ours->name[j], theirs->name[j]) != 0)
            return error_set(t->error, TEMPER_BAD_DATA,
                             "feature %zu of the validation data is '%.40s', that of the training "
                             "data '%.40s'; they must come in the same order",
                             j + 1, theirs->name[j], ours->name[j]);
    return TEMPER_OK;
}

static temper_status take_logarithms(struct training_run *t, struct dataset *valid)
{
    struct matrix borrowed = valid->x;
    return t->ground->logarithms ? scale_matrix(&t->ground->scale, &borrowed, t->threads, &valid->x, t->error)
                                 : TEMPER_OK;
}

temper_status training_validation(struct training_run *t)
{
    const struct dataset *given = (const struct dataset *)t->options->validation;
    if (!given)
        return TEMPER_OK;
    temper_status status = check_valid(t, given);
    if (status == TEMPER_OK)
        status = dataset_borrow(given, &t->valid_data, t->error);
    if (status == TEMPER_OK)
        status = map_labels(t, t->valid_data);
    if (status == TEMPER_OK)
        status = take_logarithms(t, t->valid_data);
    if (status != TEMPER_OK)
        return status;
    struct objective_spec spec = {.data = t->valid_data,
                                  .scale = scaled_features_scale(t->ground),
                                  .loss = t->loss,
                                  .intercept = !t->options->no_intercept,
                                  .f64 = t->f64,
                                  .threads = t->threads};
    status = objective_new(&spec, &t->valid, t->error);
    t->valid_gradient = mem_alloc(t->size, sizeof *t->valid_gradient);
    t->valid_w = mem_zeroed(t->size, sizeof *t->valid_w);
    if (status == TEMPER_OK && (!t->valid_gradient || !t->valid_w))
        return error_no_memory(t->error);
    return status;
}
