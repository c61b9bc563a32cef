/* api_model: model files, their contents, prediction and evaluation. */
#include "api/api_internal.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/path.h"
#include "base/source.h"
#include "base/thread.h"
#include "model/model_file.h"
#include "predict/evaluate.h"
#include "predict/predict.h"
#include "tempered/loss_family.h"

/* NULL is allowed. */
void temper_model_free(temper_model *model)
{
    model_free((struct model *)model);
}

/* Atomic: after a failure the old file, if any, is unchanged. */
temper_status temper_model_save(const temper_model *model, const char *path, temper_error *error)
{
    return model_save(model_of(model), path, error);
}

/* Refuses files that are damaged or of a newer format; *model is set on success only. */
temper_status temper_model_load(const char *path, temper_model **model, temper_error *error)
{
    struct model *loaded;
    TRY(model_load(path, &loaded, error));
    *model = (temper_model *)loaded;
    return TEMPER_OK;
}

/* The bytes of the model file, to be freed by temper_text_free; bindings use it for pickling. */
temper_status temper_model_to_text(const temper_model *model, temper_text *text, temper_error *error)
{
    struct text made = {0};
    temper_status status = model_write(model_of(model), &made, error);
    return api_publish_text(&made, status, text, error);
}

/* The inverse of temper_model_to_text. */
temper_status temper_model_from_text(const char *text, size_t length, temper_model **model, temper_error *error)
{
    struct model *read;
    TRY(model_read_text(text, length, &read, error));
    *model = (temper_model *)read;
    return TEMPER_OK;
}

/* Only regular files are examined: bytes that are read from a pipe would be lost to its reader. */
int temper_is_model_file(const char *path)
{
    struct source *source;
    struct stat there;
    const unsigned char *bytes;
    size_t length = 0, head = strlen(MODEL_HEAD);
    if (stat(path, &there) != 0 || !S_ISREG(there.st_mode) || source_open(path, &source, NULL) != TEMPER_OK)
        return 0;
    int is = source_peek(source, head, &bytes, &length, NULL) == TEMPER_OK && length == head &&
             memcmp(bytes, MODEL_HEAD, head) == 0;
    source_close(source);
    return is;
}

/* Writes the model as C source or as ONNX; without `format` the extension of the path decides. */
temper_status temper_model_export(const temper_model *model, const char *path, const char *format, temper_error *error)
{
    /* A given format decides; the extension is used only without one. */
    if (format ? strcmp(format, "c") == 0 : path_ends_in(path, ".c"))
        return model_export_c(model_of(model), path, error);
    if (format ? strcmp(format, "onnx") == 0 : path_ends_in(path, ".onnx"))
        return model_export_onnx(model_of(model), path, error);
    return error_set(error, TEMPER_USAGE, "a model is exported to C or ONNX; name the file NAME.c or NAME.onnx");
}

/* At least 2. */
size_t temper_model_classes(const temper_model *model)
{
    return model_of(model)->classes.count;
}

/* NULL beyond the last class. */
const char *temper_model_class_name(const temper_model *model, size_t class_number)
{
    const struct classes *classes = &model_of(model)->classes;
    return class_number < classes->count ? classes->name[class_number] : NULL;
}

/* Columns that prediction expects. */
size_t temper_model_features(const temper_model *model)
{
    return model_of(model)->features;
}

/* NULL for unnamed features, which are then matched by position. */
const char *temper_model_feature_name(const temper_model *model, size_t column)
{
    const struct names *names = &model_of(model)->feature_names;
    return column < names->count ? names->name[column] : NULL;
}

/* The loss of the training, with the tuned temperatures. */
temper_loss_spec temper_model_loss(const temper_model *model)
{
    return model_of(model)->loss;
}

/* The L2 penalty that was used, also where it was chosen automatically. */
double temper_model_l2(const temper_model *model)
{
    return model_of(model)->l2;
}

double temper_model_l1(const temper_model *model)
{
    return model_of(model)->l1;
}

/* 1 for two classes (the score of class 1), otherwise one for each class. */
size_t temper_model_weight_vectors(const temper_model *model)
{
    return model_of(model)->vectors;
}

/* [features] in units of the unscaled features, as long as the model lives; NULL beyond the last vector. */
const double *temper_model_weights(const temper_model *model, size_t vector)
{
    return vector < model_of(model)->vectors ? model_of(model)->weights + vector * model_of(model)->features : NULL;
}

/* In the same units; 0 if trained without one. */
double temper_model_intercept(const temper_model *model, size_t vector)
{
    return vector < model_of(model)->vectors ? model_of(model)->bias[vector] : (double)NAN;
}

/* All or nothing: the numbers are checked before the first is replaced. */
temper_status temper_model_set_weights(temper_model *handle, size_t vector, const double *weights, double intercept,
                                       temper_error *error)
{
    struct model *model = (struct model *)handle;
    bool finite = isfinite(intercept);
    if (vector >= model->vectors)
        return error_set(error, TEMPER_USAGE, "there is no vector %zu of weights; the model has %zu, from 0", vector,
                         model->vectors);
    for (size_t j = 0; finite && j < model->features; j++)
        finite = isfinite(weights[j]);
    if (!finite)
        return error_set(error, TEMPER_BAD_DATA, "a weight of vector %zu is not a finite number", vector);
    memcpy(model->weights + vector * model->features, weights, model->features * sizeof *weights);
    model->bias[vector] = intercept;
    return TEMPER_OK;
}

/* Facts about the training for reports. Texts belong to the model. Computed here: the number of nonzero weights and the
 * Euclidean norm of the weights, both without the intercepts. */
void temper_model_summarise(const temper_model *handle, temper_model_summary *summary)
{
    const struct model *model = model_of(handle);
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
                                      .l1 = model->l1,
                                      .tolerance = training->tolerance,
                                      .objective = training->objective,
                                      .train_loss = training->loss,
                                      .gradient = training->gradient,
                                      .accuracy = training->accuracy,
                                      .rows = training->rows,
                                      .iterations = training->iterations,
                                      .evaluations = training->evaluations,
                                      .seed = training->seed,
                                      .intercept = model->intercept,
                                      .calibration_order = model->calibration.order,
                                      .calibration_floor = model->calibration.floor,
                                      .calibration_rows = (size_t)model->calibration.rows,
                                      .calibration_folds = (size_t)model->calibration.folds,
                                      .noise_rate = model->noise.known ? model->noise.rate : (double)NAN};
    for (size_t i = 0; i < model->vectors * model->features; i++) {
        summary->nonzeros += model->weights[i] != 0;
        summary->weight_norm += model->weights[i] * model->weights[i];
    }
    summary->weight_norm = sqrt(summary->weight_norm);
}

/* ---- Prediction and evaluation ----------------------------------------------------------------------------------- */

/* 0 threads means all cores that this process may use. */
static size_t threads_or_all(size_t threads)
{
    return threads ? threads : thread_count_default();
}

/* Numbers for each row of `out`; 0 if the model does not have this output. */
size_t temper_prediction_width(const temper_model *model, temper_prediction output)
{
    return output_width(model_of(model), output);
}

/* out[rows][width], in the order of the rows; equal for every number of threads. */
temper_status temper_predict(const temper_model *model, const temper_data *data, temper_prediction output,
                             size_t threads, double *out, temper_error *error)
{
    return predict(model_of(model), &dataset_of(data)->x, output, threads, (struct prediction_target){.f64 = out},
                   error);
}

/* Without a temper_data: for few rows making one would take longer than the prediction. Values are not looked at
 * before: one that is not finite makes the score of its row not finite, for which alone the row is searched. */
temper_status temper_predict_rows(const temper_model *model, const temper_dense_rows *rows, temper_prediction output,
                                  size_t threads, temper_error *error)
{
    const bool floats = rows->x_f32 != NULL;
    size_t count;
    if (!mul_size(rows->rows, rows->columns, &count) || !(floats || rows->x_f64) || !(rows->out_f32 || rows->out_f64))
        return error_set(error, TEMPER_USAGE, "rows to be predicted need an array of numbers and one of results");
    const struct matrix x = {.kind = floats ? MATRIX_F32 : MATRIX_F64,
                             .rows = rows->rows,
                             .columns = rows->columns,
                             .nonzeros = count,
                             .dense = floats ? (const void *)rows->x_f32 : rows->x_f64};
    const struct prediction_target target = {.f64 = rows->out_f64, .f32 = rows->out_f64 ? NULL : rows->out_f32};
    return predict(model_of(model), &x, output, threads, target, error);
}

/* out[rows]: the importance of each row for a fit with the loss of the model; it needs labels. */
temper_status temper_predict_importance(const temper_model *model, const temper_data *data, size_t threads, double *out,
                                        temper_error *error)
{
    return importances(model_of(model), dataset_of(data), threads_or_all(threads), out, error);
}

/* Metrics are accumulated over batches, so that data larger than memory can be evaluated. */
temper_status temper_evaluator_new(const temper_model *model, temper_evaluator **evaluator, temper_error *error)
{
    struct evaluator *made;
    TRY(evaluator_new(model_of(model), &made, error));
    *evaluator = (temper_evaluator *)made;
    return TEMPER_OK;
}

/* Adds the rows of one batch; labels are matched with the classes of the model by name. */
temper_status temper_evaluator_add(temper_evaluator *evaluator, const temper_data *data, size_t threads,
                                   temper_error *error)
{
    temper_status status =
        evaluator_add((struct evaluator *)evaluator, dataset_of(data), threads_or_all(threads), error);
    return comm_end(dataset_of(data)->ranks.comm, status, error);
}

/* Frees the evaluator in all cases, also on failure. */
temper_status temper_evaluator_finish(temper_evaluator *evaluator, temper_evaluation *evaluation, temper_error *error)
{
    return evaluator_end((struct evaluator *)evaluator, evaluation, error);
}

/* The pointers are reset, so that freeing twice is harmless. */
void temper_evaluation_free(temper_evaluation *evaluation)
{
    mem_free(evaluation->confusion);
    mem_free(evaluation->quality);
    mem_free(evaluation->thresholds);
    evaluation->confusion = NULL;
    evaluation->quality = NULL;
    evaluation->thresholds = NULL;
}
