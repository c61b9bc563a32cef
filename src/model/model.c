/* model: making and freeing one, and what follows from its loss. */
#include "model/model.h"

#include <assert.h>

#include "base/memory.h"
#include "tempered/loss_family.h"

temper_status model_new(size_t classes, size_t features, struct model **out, temper_error *error)
{
    size_t count;
    assert(classes >= 2 && features >= 1);
    struct model *model = mem_zeroed(1, sizeof *model);
    if (!model)
        return error_no_memory(error);
    model->features = features;
    model->vectors = weight_vectors(classes);
    if (mul_size(model->vectors, features, &count))
        model->weights = mem_zeroed(count, sizeof *model->weights);
    model->bias = mem_zeroed(model->vectors, sizeof *model->bias);
    if (!model->weights || !model->bias) {
        model_free(model);
        return error_no_memory(error);
    }
    *out = model;
    return TEMPER_OK;
}

void model_free(struct model *model)
{
    if (!model)
        return;
    classes_free(&model->classes);
    names_free(&model->feature_names);
    scale_free(&model->scale);
    schema_free(model->schema);
    mem_free(model->weights);
    mem_free(model->bias);
    mem_free(model);
}

bool model_has_probabilities(const struct model *model)
{
    return model->loss.method == TEMPER_BREGMAN || (model->loss.method != TEMPER_HINGE && model->loss.t1 > 0);
}

double model_escort_order(const struct model *model)
{
    return model->loss.method == TEMPER_BREGMAN ? 1 : model->loss.t1;
}
