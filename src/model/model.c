/* model: creates and frees models, reads data for them, and decides which probabilities their loss has. */
#include "model/model.h"

#include <assert.h>

#include "base/memory.h"
#include "kernel/dispatch/kernel.h"
#include "tempered/loss_family.h"

/* A model of that shape with all weights 0: one weight vector for two classes, otherwise one for each class. */
temper_status model_new(size_t classes, size_t features, struct model **out, temper_error *error)
{
    size_t count;
    assert(classes >= 2 && features >= 1);
    struct model *model = mem_zeroed(1, sizeof *model);
    if (!model)
        return error_no_memory(error);
    model->features = features;
    model->best_kernel = kernel_best();
    model->vectors = weight_vectors(classes);
    /* Checked, because classes times features may overflow. */
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

/* Accepts NULL, and a model that was only read in part. */
void model_free(struct model *model)
{
    if (!model)
        return;
    classes_free(&model->classes);
    names_free(&model->feature_names);
    scale_free(&model->scale);
    schema_free(model->schema);
    mem_free(model->weights);
    mem_free(model->transition);
    mem_free(model->bias);
    mem_free(model->calibration.matrix);
    mem_free(model->noise.transition);
    mem_free(model);
}

/* By theory, probabilities are the escort distribution of order t1 of p-hat: p_c^t1 / sum_k p_k^t1 (paper, section 5).
 * At t1 = 0 it is uniform, and a hinge has no p-hat. A fitted order needs neither. */
bool model_has_probabilities(const struct model *model)
{
    return model->calibration.order > 0 || loss_escort_order(model->loss) > 0;
}

double model_escort_order(const struct model *model)
{
    return model->calibration.order > 0 ? model->calibration.order : loss_escort_order(model->loss);
}

/* Losses without temperatures are those of a softmax, or a hinge, whose scores are taken as activations of one. */
double model_t2(const struct model *model)
{
    return loss_has_temperatures(model->loss) ? model->loss.t2 : 1;
}
