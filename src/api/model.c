/* api: models. */
#include "model/model.h"

#include <math.h>
#include <string.h>

#include "model/model_file.h"
#include "tempered/loss_family.h"

/* The public handle is the model itself. */
static const struct model *inside(const temper_model *model)
{
    return (const struct model *)model;
}

void temper_model_free(temper_model *model)
{
    model_free((struct model *)model);
}

temper_status temper_model_save(const temper_model *model, const char *path, temper_error *error)
{
    return model_save(inside(model), path, error);
}

temper_status temper_model_load(const char *path, temper_model **model, temper_error *error)
{
    struct model *loaded;
    temper_status status = model_load(path, &loaded, error);
    if (status == TEMPER_OK)
        *model = (temper_model *)loaded;
    return status;
}

temper_status temper_model_to_text(const temper_model *model, char **text, size_t *length, temper_error *error)
{
    struct text made = {0};
    temper_status status = model_write(inside(model), &made, error);
    if (status != TEMPER_OK) {
        text_free(&made);
        return status;
    }
    *text = made.bytes;
    *length = made.length;
    return TEMPER_OK;
}

temper_status temper_model_from_text(const char *text, size_t length, temper_model **model, temper_error *error)
{
    struct model *read;
    temper_status status = model_read_text(text, length, &read, error);
    if (status == TEMPER_OK)
        *model = (temper_model *)read;
    return status;
}

static bool ends_in(const char *path, const char *extension)
{
    size_t length = strlen(path), tail = strlen(extension);
    return length > tail && strcmp(path + length - tail, extension) == 0;
}

temper_status temper_model_export(const temper_model *model, const char *path, const char *format, temper_error *error)
{
    if (format ? strcmp(format, "c") == 0 : ends_in(path, ".c"))
        return model_export_c(inside(model), path, error);
    if (format ? strcmp(format, "onnx") == 0 : ends_in(path, ".onnx"))
        return model_export_onnx(inside(model), path, error);
    return error_set(error, TEMPER_USAGE, "a model is exported to C or ONNX; name the file NAME.c or NAME.onnx");
}

size_t temper_model_classes(const temper_model *model)
{
    return inside(model)->classes.count;
}

const char *temper_model_class_name(const temper_model *model, size_t class_number)
{
    const struct classes *classes = &inside(model)->classes;
    return class_number < classes->count ? classes->name[class_number] : NULL;
}

unsigned long long temper_model_features(const temper_model *model)
{
    return inside(model)->features;
}

const char *temper_model_feature_name(const temper_model *model, unsigned long long column)
{
    const struct names *names = &inside(model)->feature_names;
    return column < names->count ? names->name[column] : NULL;
}

temper_loss_spec temper_model_loss(const temper_model *model)
{
    return inside(model)->loss;
}

double temper_model_l2(const temper_model *model)
{
    return inside(model)->l2;
}

size_t temper_model_weight_vectors(const temper_model *model)
{
    return inside(model)->vectors;
}

const double *temper_model_weights(const temper_model *model, size_t vector)
{
    return vector < inside(model)->vectors ? inside(model)->weights + vector * inside(model)->features : NULL;
}

double temper_model_intercept(const temper_model *model, size_t vector)
{
    return vector < inside(model)->vectors ? inside(model)->bias[vector] : (double)NAN;
}

void temper_model_summarise(const temper_model *public, temper_model_summary *summary)
{
    const struct model *model = inside(public);
    const struct model_training *training = &model->training;
    *summary = (temper_model_summary){.method = method_name(model->loss.method),
                                      .scale = scale_name(model->scale.kind),
                                      .solver = training->solver,
                                      .stop = training->stop,
                                      .init = training->init,
                                      .precision = training->precision,
                                      .fingerprint = training->fingerprint,
                                      .t1 = model->loss.t1,
                                      .t2 = model->loss.t2,
                                      .smoothing = model->loss.smoothing,
                                      .l2 = model->l2,
                                      .tolerance = training->tolerance,
                                      .objective = training->objective,
                                      .train_loss = training->loss,
                                      .gradient = training->gradient,
                                      .accuracy = training->accuracy,
                                      .rows = training->rows,
                                      .iterations = training->iterations,
                                      .evaluations = training->evaluations,
                                      .seed = training->seed,
                                      .intercept = model->intercept};
    for (size_t i = 0; i < model->vectors * model->features; i++) {
        summary->nonzeros += model->weights[i] != 0;
        summary->weight_norm += model->weights[i] * model->weights[i];
    }
    summary->weight_norm = sqrt(summary->weight_norm);
}
