/* model_save: a model as a JSON text, one key after the other in a fixed order, so that equal models are equal bytes.
 * docs/model.md has the format.
 *
 * Doubles are written with the shortest digits that read back as the same bits. The last member is a checksum of all
 * bytes before it, at a fixed distance from the end, so that a reader can check it before it parses anything. Optional
 * members are left out where the model does not have them. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "base/atomic_file.h"
#include "base/json/json_write.h"
#include "model/model_file.h"
#include "tempered/loss_family.h"

/* ---- Values ---------------------------------------------------------------------------------- */

/* A key; the functions after it write a value of each type with its key and a comma, on a line. */
static void write_key(struct text *text, const char *key)
{
    text_format(text, "\"%s\": ", key);
}

/* The value is escaped as JSON requires. */
static void write_text(struct text *text, const char *key, const char *value)
{
    write_key(text, key);
    json_write_string(text, value);
    text_append(text, ",\n");
}

/* The shortest decimal that reads back as the same double. */
static void write_number(struct text *text, const char *key, double value)
{
    write_key(text, key);
    json_write_f64(text, value);
    text_append(text, ",\n");
}

/* An exact integer: it may exceed 2^53, beyond which doubles would round it. */
static void write_count(struct text *text, const char *key, uint64_t value)
{
    text_format(text, "\"%s\": %llu,\n", key, (unsigned long long)value);
}

/* A parameter of the loss; null if the method has no such parameter, whatever number the model holds. */
static void write_if(struct text *text, bool meant, const char *key, double value)
{
    if (meant)
        write_number(text, key, value);
    else
        text_format(text, "\"%s\": null,\n", key);
}

/* ---- Parts ----------------------------------------------------------------------------------- */

/* The parameters that only this method has, as an object; nothing where there are none. The smoothing of the hinge is
 * older than this object and has a key of its own. */
static void write_parameters(temper_loss_spec loss, struct text *text)
{
    const temper_loss_parameter *parameter = method_parameter(loss.method, 0);
    if (!parameter || loss.method == TEMPER_HINGE)
        return;
    write_key(text, "parameters");
    for (size_t k = 0; (parameter = method_parameter(loss.method, k)); k++) {
        text_append(text, k ? ", " : "{");
        write_key(text, parameter->name);
        json_write_f64(text, *loss_parameter(&loss, parameter));
    }
    text_append(text, "},\n");
}

/* The method, temperatures and smoothing, which readers find in every file; then the parameters of the method. */
static void write_loss(const struct model *model, struct text *text)
{
    bool temperatures = loss_has_temperatures(model->loss);
    temper_loss_spec loss = model->loss;
    write_text(text, "method", method_name(loss.method));
    write_if(text, temperatures, "t1", loss.t1);
    write_if(text, temperatures, "t2", loss.t2);
    write_if(text, loss.method == TEMPER_HINGE, "smoothing", loss.smoothing);
    write_parameters(loss, text);
    write_number(text, "l2", model->l2);
    if (model->l1 > 0)
        write_number(text, "l1", model->l1);
}

/* Classes; the number of features, and their names if they have any. */
static void write_names(const struct model *model, struct text *text)
{
    write_key(text, "classes");
    json_write_string_array(text, model->classes.name, model->classes.count);
    text_append(text, ",\n");
    write_count(text, "features", model->features);
    /* Files without a header have none; the key is optional. */
    if (model->feature_names.count == 0)
        return;
    write_key(text, "feature_names");
    json_write_string_array(text, model->feature_names.name, model->feature_names.count);
    text_append(text, ",\n");
}

/* Intercepts and weights. Two classes: a number and a list. More: a list, and a list of lists, one on each line. */
static void write_weights(const struct model *model, struct text *text)
{
    bool single = model->vectors == 1;
    write_key(text, "intercept");
    if (single)
        json_write_f64(text, model->bias[0]);
    else
        json_write_f64_array(text, model->bias, model->vectors);
    text_append(text, ",\n");
    write_key(text, "weights");
    if (!single)
        text_append(text, "[\n");
    for (size_t v = 0; v < model->vectors; v++) {
        if (v > 0)
            text_append(text, ",\n");
        json_write_f64_array(text, model->weights + v * model->features, model->features);
    }
    text_append(text, single ? ",\n" : "\n],\n");
}

/* A matrix of label noise, a list for each true class, without the bracket that closes it. `wrapped`: long lists are
 * written on several lines; that of forward correction is a line for each class, however long. */
static void write_matrix(const double *matrix, size_t classes, bool wrapped, struct text *text)
{
    text_append(text, "[\n");
    for (size_t c = 0; c < classes; c++) {
        const double *row = matrix + c * classes;
        text_append(text, c ? ",\n" : "");
        if (wrapped) {
            json_write_f64_array(text, row, classes);
            continue;
        }
        for (size_t g = 0; g < classes; g++) {
            text_append(text, g ? ", " : "[");
            json_write_f64(text, row[g]);
        }
        text_append(text, "]");
    }
}

/* The matrix of forward correction; absent in most models. */
static void write_correction(const struct model *model, struct text *text)
{
    if (!model->transition)
        return;
    write_key(text, "correction");
    write_matrix(model->transition, model->classes.count, false, text);
    text_append(text, "\n],\n");
}

/* Offsets and factors of the scaling; the weights of the file include it already. */
static void write_scale(const struct scale *scale, struct text *text)
{
    text_append(text, "\"scale\": {\"name\": ");
    json_write_string(text, scale_name(scale->kind));
    /* A model without scaling has no arrays. */
    if (scale->kind != SCALE_NONE) {
        text_format(text, ", \"constants\": %zu,\n\"offset\": ", scale->constants);
        json_write_f64_array(text, scale->offset, scale->columns);
        text_append(text, ",\n\"factor\": ");
        json_write_f64_array(text, scale->factor, scale->columns);
    }
    text_append(text, "},\n");
}

/* ---- Schema: how the columns of a table become features -------------------------------------- */

/* How the cells of a column are read; nothing for plain numbers, and for categories that an option has named. */
static void write_rule(const struct column_rule *rule, struct text *text)
{
    if (rule->kind != COLUMN_NUMBER)
        text_format(text, ", \"kind\": \"%s\"", column_kind_name(rule->kind));
    if (rule->decimal)
        text_format(text, ", \"decimal\": \"%c\"", rule->decimal);
    if (rule->kind == COLUMN_DATE)
        text_format(text, ", \"order\": \"%s\", \"days\": %s, \"times\": %s", date_order_name(rule->order),
                    rule->days ? "true" : "false", rule->times ? "true" : "false");
    if (rule->kind == COLUMN_TEXT)
        text_format(text, ", \"words\": %u", (unsigned)rule->words);
    if (rule->indicator)
        text_append(text, ", \"indicator\": true");
}

/* One column of the table: position, name, the texts that become features, fill values of missing cells. */
static void write_column(const struct schema_column *column, struct text *text)
{
    /* Optional keys are left out where the column does not have them. */
    text_format(text, "{\"column\": %zu", column->position + 1);
    if (column->name) {
        text_append(text, ", \"name\": ");
        json_write_string(text, column->name);
    }
    write_rule(&column->rule, text);
    if (column->texts.count > 0) {
        text_append(text, ", \"texts\": ");
        json_write_string_array(text, column->texts.name, column->texts.count);
    }
    if (column->fill) {
        text_append(text, ", \"fill\": ");
        json_write_f64_array(text, column->fill, schema_column_features(column));
    }
    text_append(text, "}");
}

/* One column on each line. Positions count from 1, as on the command line. */
static void write_schema(const struct schema *schema, struct text *text)
{
    text_format(text, "\"schema\": {\"file_columns\": %zu, ", schema->file_columns);
    if (schema->label_position != SCHEMA_NO_LABEL)
        text_format(text, "\"label_column\": %zu, ", schema->label_position + 1);
    if (schema->label) {
        text_append(text, "\"label_name\": ");
        json_write_string(text, schema->label);
        text_append(text, ", ");
    }
    if (schema->automatic)
        text_append(text, "\"automatic\": true, ");
    if (schema->gaps.count > 0) {
        text_append(text, "\"gaps\": ");
        json_write_string_array(text, schema->gaps.name, schema->gaps.count);
        text_append(text, ", ");
    }
    text_format(text, "\"missing\": \"%s\", \"columns\": [\n", schema_missing_name(schema->missing));
    for (size_t i = 0; i < schema->columns; i++) {
        write_column(&schema->column[i], text);
        text_append(text, i + 1 < schema->columns ? ",\n" : "\n]},\n");
    }
}

/* ---- Probabilities ---------------------------------------------------------------------------- */

/* Order and floor, what they were fitted to, and the matrix if there is one: a line for each class, then the offsets.
 * Absent in a model that was not calibrated. Members that describe how it was made, rows and folds, are for people:
 * nothing is computed from them. */
static void write_calibration(const struct model *model, struct text *text)
{
    const struct calibration *calibration = &model->calibration;
    size_t classes = model->classes.count;
    if (!(calibration->order > 0))
        return;
    text_append(text, "\"calibration\": {\"order\": ");
    json_write_f64(text, calibration->order);
    text_append(text, ", \"floor\": ");
    json_write_f64(text, calibration->floor);
    text_format(text, ", \"rows\": %llu, \"folds\": %llu", (unsigned long long)calibration->rows,
                (unsigned long long)calibration->folds);
    if (calibration->matrix) {
        text_append(text, ", \"matrix_floor\": ");
        json_write_f64(text, calibration->matrix_floor);
        text_append(text, ", \"matrix\": [\n");
        for (size_t c = 0; c <= classes; c++) {
            json_write_f64_array(text, calibration->matrix + c * classes, classes);
            text_append(text, c < classes ? ",\n" : "]");
        }
    }
    text_append(text, "},\n");
}

/* The rate, and the transition matrix if there is one: a line for each true class. */
static void write_noise(const struct model *model, struct text *text)
{
    if (!model->noise.known)
        return;
    text_append(text, "\"noise\": {\"rate\": ");
    json_write_f64(text, model->noise.rate);
    if (model->noise.transition) {
        text_append(text, ", \"transition\": ");
        write_matrix(model->noise.transition, model->classes.count, true, text);
        text_append(text, "]");
    }
    text_append(text, "},\n");
}

/* ---- How it was trained ---------------------------------------------------------------------- */

/* How the model was trained: every field of TRAINING_LIST, by its type, and whether there is an intercept. The list of
 * fields is an X-macro in model_file.h, from which the loader makes its table as well: a field that is added there is
 * written and read. */
static void write_training(const struct model *model, struct text *text)
{
    const struct model_training *training = &model->training;
    text_append(text, "\"training\": {\n");
/* One macro for each type of the list; the key is the name of the member. */
#define WRITE_TEXT(name)  write_text(text, #name, training->name);
#define WRITE_F64(name)   write_number(text, #name, training->name);
#define WRITE_U64(name)   write_count(text, #name, training->name);
#define WRITE_SIZE(name)  write_count(text, #name, training->name);
#define WRITE(name, type) WRITE_##type(name)
    TRAINING_LIST(WRITE)
#undef WRITE
    text_format(text, "\"intercept\": %s\n},\n", model->intercept ? "true" : "false");
}

/* ---- Checks ---------------------------------------------------------------------------------- */

/* An array that is NULL has count 0, and passes. */
static bool all_finite(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

/* Names the part of the model that is not finite; NULL if all of it is. JSON has neither NaN nor infinity, and such a
 * model is of no use. */
static const char *what_is_not_finite(const struct model *model)
{
    const struct model_training *t = &model->training;
    const struct scale *scale = &model->scale;
    size_t scaled = scale->kind == SCALE_NONE ? 0 : scale->columns;
    const temper_loss_parameter *wrong;
    if (!all_finite(model->weights, model->vectors * model->features))
        return "a weight is";
    if (!all_finite(model->bias, model->vectors))
        return "an intercept is";
    if (!all_finite(scale->offset, scaled) || !all_finite(scale->factor, scaled))
        return "an offset or a factor of the scaling is";
    size_t numbers = model->calibration.matrix ? (model->classes.count + 1) * model->classes.count : 0;
    if (!all_finite(model->calibration.matrix, numbers))
        return "a number of the calibration is";
    size_t cells = model->classes.count * model->classes.count;
    if (!all_finite(model->transition, model->transition ? cells : 0) ||
        !all_finite(model->noise.transition, model->noise.transition ? cells : 0) || !isfinite(model->noise.rate))
        return "a rate of the label noise is";
    bool temperatures = loss_has_temperatures(model->loss);
    if (!loss_parameters_legal(model->loss, &wrong) ||
        (temperatures && (!isfinite(model->loss.t1) || !isfinite(model->loss.t2))))
        return "a parameter of the loss is";
    /* Numbers that are written as JSON numbers without being arrays. */
    double rest[] = {model->calibration.order,
                     model->calibration.floor,
                     model->calibration.matrix_floor,
                     model->l2,
                     model->l1,
                     t->tolerance,
                     t->weight_sum,
                     t->objective,
                     t->loss,
                     t->gradient,
                     t->accuracy};
    return all_finite(rest, sizeof rest / sizeof *rest) ? NULL : "a figure of the training is";
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* The last lines of a file, with the checksum of the bytes before them. Their length is fixed, so that the reader finds
 * the checksum from the end. */
void model_tail(const char *bytes, size_t length, char tail[MODEL_TAIL + 1])
{
    XXH128_hash_t hash = XXH3_128bits(bytes, length);
    snprintf(tail, MODEL_TAIL + 1, "\"checksum\": \"%016llx%016llx\"\n}\n", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
}

/* The whole file: keys in their fixed order, then the checksum of all bytes before it. Failures of memory are collected
 * in text->failed, and reported once. */
temper_status model_write(const struct model *model, struct text *text, temper_error *error)
{
    /* Checked before anything is written to the text. */
    const char *fault = what_is_not_finite(model);
    char tail[MODEL_TAIL + 1];
    if (fault)
        return error_set(error, TEMPER_BAD_DATA,
                         "the model cannot be saved: %s not finite; scale the features, or train "
                         "with a larger --l2",
                         fault);
    text_append(text, MODEL_HEAD);
    write_count(text, "version", MODEL_VERSION);
    write_text(text, "temper", temper_version());
    write_loss(model, text);
    write_names(model, text);
    write_weights(model, text);
    write_correction(model, text);
    write_scale(&model->scale, text);
    if (model->schema)
        write_schema(model->schema, text);
    write_calibration(model, text);
    write_noise(model, text);
    write_training(model, text);
    /* The checksum needs the whole text. */
    if (text->failed)
        return error_no_memory(error);
    model_tail(text->bytes, text->length, tail);
    text_append(text, tail);
    return text->failed ? error_no_memory(error) : TEMPER_OK;
}

/* Saves a model. The whole text is made before the file is opened, and the file replaced atomically: a failure leaves
 * the disk untouched. */
temper_status model_save(const struct model *model, const char *path, temper_error *error)
{
    struct text text = {0};
    struct atomic_file *sink = NULL;
    temper_status status = model_write(model, &text, error);
    if (status == TEMPER_OK)
        status = atomic_file_open(path, &sink, error);
    if (status == TEMPER_OK)
        status = atomic_file_write(sink, text.bytes, text.length, error);
    if (status == TEMPER_OK)
        status = atomic_file_commit(sink, error);
    else
        atomic_file_drop(sink);
    text_free(&text);
    return status;
}
