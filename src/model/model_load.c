/* model_load: reads a model file. Checks, in this order, that it is a model, that it is complete and undamaged, and
 * that each key is of the right type, there once, and consistent with the others.
 *
 * Sizes in the file are trusted as far as it could hold them: a number takes two bytes, so no array is much larger. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/json/json_read.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/source.h"
#include "data/read/format.h"
#include "kernel/dispatch/kernel.h"
#include "model/model_file.h"
#include "tempered/loss_family.h"

/* Bytes: those by which the kind of a file is recognised, and those read at once. */
enum { FIRST_LOOK = 8192, PIECE = 1 << 16 };

/* ---- Scaling --------------------------------------------------------------------------------- */

/* Keys of the object "scale"; the enumeration is the index into the list. */
enum { SCALE_NAME, SCALE_CONSTANTS, SCALE_OFFSET, SCALE_FACTOR, SCALE_KEYS };
static const char *const scale_keys[] = {"name", "constants", "offset", "factor"};

/* "name": the kind of scaling, by its word on the command line. */
static bool parse_scale_name(struct json_reader *json, struct scale *scale)
{
    char *name = NULL;
    if (!json_string(json, &name))
        return false;
    /* Unknown names come from a newer version, or from a change by hand. */
    bool known = scale_find(name, &scale->kind);
    mem_free(name);
    return known || fail_changed(json, "a scaling of no known name");
}

/* A number for each feature. */
static bool parse_column_numbers(struct json_reader *json, const struct model *model, double **out)
{
    *out = mem_alloc(model->features, sizeof **out);
    if (!*out)
        return json_no_memory(json);
    return json_f64_array(json, *out, model->features);
}

/* The object "scale". It describes the scaling for people: the weights of the file are for raw rows. All keys but the
 * name are absent if there is no scaling. */
static bool parse_scale(struct json_reader *json, struct model *model)
{
    struct scale *scale = &model->scale;
    uint64_t seen = 0, constants = 0;
    int key;
    if (!json_object(json))
        return false;
    while ((key = key_next(json, scale_keys, SCALE_KEYS, &seen)) >= 0) {
        if (key == SCALE_NAME)
            parse_scale_name(json, scale);
        else if (key == SCALE_CONSTANTS)
            json_u64(json, &constants);
        else
            parse_column_numbers(json, model, key == SCALE_OFFSET ? &scale->offset : &scale->factor);
    }
    /* A bit for each key that this kind of scaling has. */
    uint64_t needed = scale->kind == SCALE_NONE ? 1u << SCALE_NAME : (1u << SCALE_KEYS) - 1;
    if (!keys_complete(json, scale_keys, SCALE_KEYS, needed & ~seen, "scale"))
        return false;
    if (seen != needed || constants > model->features)
        return fail_changed(json, "a scaling that contradicts itself");
    scale->constants = (size_t)constants;
    scale->columns = scale->kind == SCALE_NONE ? 0 : model->features;
    return true;
}

/* ---- Loss ------------------------------------------------------------------------------------ */

/* "method": the loss, by its name on the command line. */
static bool parse_method(struct json_reader *json, struct model *model)
{
    char *name = NULL;
    if (!json_string(json, &name))
        return false;
    /* The temperatures and parameters follow as keys of their own: those that are missing stay NaN. */
    bool known = method_find(name, &model->loss.method);
    mem_free(name);
    const temper_loss_parameter *parameter;
    for (size_t k = 0; known && (parameter = method_parameter(model->loss.method, k)); k++)
        *loss_parameter(&model->loss, parameter) = NAN;
    return known || fail_changed(json, "a method of no known name");
}

/* A number >= 0; null if the method has no such parameter. */
static bool parse_parameter(struct json_reader *json, bool expected, double *out)
{
    /* The key is there in any case, so that all files have the same keys. */
    if (!expected) {
        *out = 0;
        return json_null(json) || fail_changed(json, "null must stand here for this method");
    }
    return json_f64(json, out) && (*out >= 0 || fail_changed(json, "a number below 0"));
}

/* Whether the temperatures are those that the method implies: a logistic loss with t1 = 0.5 is a contradiction. */
static bool loss_agrees(const struct model *model)
{
    temper_loss_spec fixed = temper_loss_resolve(model->loss);
    return fixed.t1 == model->loss.t1 && fixed.t2 == model->loss.t2;
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* One class name. Names are stored in the one spelling that temper gives them, and each once. */
static bool parse_class(struct json_reader *json, struct classes *classes)
{
    char *name = NULL;
    size_t before = classes->count;
    if (!json_string(json, &name))
        return false;
    /* A name that was there before gets its old number, which is below `before`. */
    uint32_t number = classes_add(classes, name, strlen(name));
    /* Numbers have one spelling, and "1.0" is not the one of 1. */
    bool fine = number == before && strcmp(classes->name[number], name) == 0;
    mem_free(name);
    if (number == CLASSES_NO_MEMORY)
        return json_no_memory(json);
    return fine || fail_changed(json, "a class that was there before, is one too many, or is "
                                      "spelled in another way than temper spells it");
}

/* "classes": at least two; their order is the order of the weight vectors. */
static bool parse_class_names(struct json_reader *json, struct model *model)
{
    struct classes *classes = &model->classes;
    if (!json_array(json))
        return false;
    /* Stops at the first failure, which is in json->status. */
    while (json_item(json) && parse_class(json, classes))
        continue;
    if (json->status == TEMPER_OK && classes->count < 2)
        return fail_changed(json, "fewer than two classes");
    return json->status == TEMPER_OK;
}

/* "feature_names": exactly as many as there are features, whose number was read before. */
static bool parse_feature_names(struct json_reader *json, struct model *model)
{
    struct names *names = &model->feature_names;
    names->name = (char **)mem_zeroed(model->features, sizeof *names->name);
    if (!names->name)
        return json_no_memory(json);
    if (!json_array(json))
        return false;
    while (json_item(json)) {
        if (names->count == model->features)
            return fail_changed(json, "more names than features");
        if (!json_string(json, &names->name[names->count]))
            return false;
        names->count++;
    }
    if (json->status == TEMPER_OK && names->count < model->features)
        return fail_changed(json, "fewer names than features");
    return json->status == TEMPER_OK;
}

/* ---- Weights --------------------------------------------------------------------------------- */

/* "features": their number, from which the weights are allocated. The file must be long enough for as many weights as
 * its sizes imply: a digit and a comma for each. */
static bool parse_features(struct json_reader *json, struct model *model)
{
    uint64_t features;
    size_t vectors = weight_vectors(model->classes.count), count, bytes;
    if (!json_u64(json, &features))
        return false;
    if (features < 1)
        return fail_changed(json, "no features");
    if (features > SIZE_MAX || !mul_size(vectors, (size_t)features, &count) || !mul_size(count, 2, &bytes) ||
        bytes > (size_t)(json->to - json->from))
        return fail_changed(json, "more weights than the file could hold");
    model->features = (size_t)features;
    model->vectors = vectors;
    /* Not zeroed: the arrays are filled completely, or the model is freed. */
    model->weights = mem_alloc(count, sizeof *model->weights);
    model->bias = mem_alloc(vectors, sizeof *model->bias);
    return (model->weights && model->bias) || json_no_memory(json);
}

/* "intercept": one number for two classes, a list otherwise. */
static bool parse_intercept(struct json_reader *json, struct model *model)
{
    if (model->vectors == 1)
        return json_f64(json, model->bias);
    return json_f64_array(json, model->bias, model->vectors);
}

/* "weights": a list for two classes, otherwise a list of lists: one weight vector for each class. The number of classes
 * and features was read before, so that lengths are checked while the numbers are read, and memory is never larger than
 * the shape implies. */
static bool parse_weights(struct json_reader *json, struct model *model)
{
    size_t vector = 0;
    /* Two classes have one vector, and no list around it. */
    if (model->vectors == 1)
        return json_f64_array(json, model->weights, model->features);
    if (!json_array(json))
        return false;
    for (; json_item(json); vector++) {
        if (vector == model->vectors)
            return fail_changed(json, "more lists of weights than classes");
        if (!json_f64_array(json, model->weights + vector * model->features, model->features))
            return false;
    }
    if (json->status == TEMPER_OK && vector < model->vectors)
        return fail_changed(json, "fewer lists of weights than classes");
    return json->status == TEMPER_OK;
}

/* ---- How it was trained ---------------------------------------------------------------------- */

/* The types of TRAINING_LIST (model_file.h). */
enum field_type { FIELD_TEXT, FIELD_F64, FIELD_U64, FIELD_SIZE };

/* Where a member of struct model_training is. */
struct training_field {
    enum field_type type;
    size_t offset, size; /* within the structure, in bytes */
};

/* One field for each entry of TRAINING_LIST, so that writer and reader cannot differ. */
static const struct training_field training_fields[] = {
#define TRAINING_FIELD(name, type)                                                                                     \
    {FIELD_##type, offsetof(struct model_training, name), sizeof((struct model_training *)0)->name},
    TRAINING_LIST(TRAINING_FIELD)
#undef TRAINING_FIELD
};

/* Their keys, in the same order; "intercept" comes last, because it is stored in struct model. */
static const char *const training_keys[] = {
#define TRAINING_KEY(name, type) #name,
    TRAINING_LIST(TRAINING_KEY)
#undef TRAINING_KEY
        "intercept"};

enum { TRAINING_FIELDS = sizeof training_fields / sizeof *training_fields, TRAINING_KEYS = TRAINING_FIELDS + 1 };

/* Reads a text into an array of `size` bytes; a longer one is refused. */
static bool parse_short_text(struct json_reader *json, char *out, size_t size)
{
    char *text = NULL;
    if (!json_string(json, &text))
        return false;
    size_t length = strlen(text);
    if (length < size)
        memcpy(out, text, length + 1);
    mem_free(text);
    return length < size || fail_changed(json, "a text that is too long");
}

/* Reads a value of the type of the field into the structure at `base`; by memcpy, because the address is computed from
 * an offset. */
static bool parse_field(struct json_reader *json, const struct training_field *field, void *base)
{
    char *at = (char *)base + field->offset;
    double number;
    uint64_t count;
    if (field->type == FIELD_TEXT)
        return parse_short_text(json, at, field->size);
    if (field->type == FIELD_F64) {
        if (json_f64(json, &number))
            memcpy(at, &number, sizeof number);
        return json->status == TEMPER_OK;
    }
    if (!json_u64(json, &count))
        return false;
    if (field->type == FIELD_U64) {
        memcpy(at, &count, sizeof count);
        return true;
    }
    /* A file from a machine of 64 bits may not fit into a size_t of 32. */
    size_t size = (size_t)count;
    memcpy(at, &size, sizeof size);
    return size == count || fail_changed(json, "a count that is too large");
}

/* The object "training". All fields are required; their order is free. The table of fields is made from the list of the
 * writer, so that a field cannot be written and not read. */
static bool parse_training(struct json_reader *json, struct model *model)
{
    uint64_t seen = 0;
    int key;
    if (!json_object(json))
        return false;
    while ((key = key_next(json, training_keys, TRAINING_KEYS, &seen)) >= 0) {
        if (key == TRAINING_FIELDS)
            json_bool(json, &model->intercept);
        else
            parse_field(json, &training_fields[key], &model->training);
    }
    return keys_complete(json, training_keys, TRAINING_KEYS, (((uint64_t)1 << TRAINING_KEYS) - 1) & ~seen, "training");
}

/* ---- All keys ------------------------------------------------------------------------------- */

/* "version": newer ones were refused before, by check_version. */
static bool parse_version(struct json_reader *json, struct model *model)
{
    uint64_t version;
    (void)model;
    return json_u64(json, &version) &&
           ((version >= 1 && version <= MODEL_VERSION) || fail_changed(json, "a version that never was"));
}

/* Read and discarded: the format, which the first bytes have shown; the version of temper that wrote the file; the
 * checksum, which was verified. */
static bool parse_any_text(struct json_reader *json, struct model *model)
{
    char *text = NULL;
    (void)model;
    bool fine = json_string(json, &text);
    mem_free(text);
    return fine;
}

/* The first temperature; null for a hinge. */
static bool parse_t1(struct json_reader *json, struct model *model)
{
    return parse_parameter(json, loss_has_temperatures(model->loss), &model->loss.t1);
}

/* The second temperature completes the loss: the pair must be one that the method allows. */
static bool parse_t2(struct json_reader *json, struct model *model)
{
    return parse_parameter(json, loss_has_temperatures(model->loss), &model->loss.t2) &&
           (loss_agrees(model) || fail_changed(json, "temperatures that the method does not have"));
}

/* The width over which a hinge is rounded; null for any other loss. */
static bool parse_smoothing(struct json_reader *json, struct model *model)
{
    return parse_parameter(json, !loss_has_temperatures(model->loss), &model->loss.smoothing);
}

/* "parameters": those that only this method has, in their order, each within its range. Absent for methods without. */
static bool parse_parameters(struct json_reader *json, struct model *model)
{
    const temper_loss_parameter *parameter;
    char key[JSON_KEY];
    size_t k = 0;
    if (!json_object(json))
        return false;
    while (json_key(json, key)) {
        parameter = method_parameter(model->loss.method, k++);
        if (!parameter || strcmp(parameter->name, key) != 0)
            return fail_changed(json, "a parameter that the method does not have here");
        double *value = loss_parameter(&model->loss, parameter);
        if (!json_f64(json, value))
            return false;
        if (!(*value >= parameter->least && *value <= parameter->most))
            return fail_changed(json, "a number out of its range");
    }
    return json->status == TEMPER_OK;
}

/* The penalty of squares, which every model has; before it all parameters of the loss have to be there. */
static bool parse_l2(struct json_reader *json, struct model *model)
{
    const temper_loss_parameter *missing;
    bool whole = loss_parameters_legal(model->loss, &missing);
    return (whole || fail_changed(json, "a parameter of the method is missing")) &&
           parse_parameter(json, true, &model->l2);
}

/* The L1 penalty, of models that have one. */
static bool parse_l1(struct json_reader *json, struct model *model)
{
    return parse_parameter(json, true, &model->l1);
}

/* A row of a matrix of label noise: probabilities that sum to 1, up to rounding. */
static bool parse_matrix_row(struct json_reader *json, size_t classes, bool positive, double *row)
{
    double sum = 0;
    if (!json_f64_array(json, row, classes))
        return false;
    for (size_t g = 0; g < classes; g++) {
        if (!(row[g] >= 0) || (positive && row[g] == 0))
            return fail_changed(json, positive ? "a probability that is not positive" : "a probability below 0");
        sum += row[g];
    }
    return fabs(sum - 1) < 1e-9 || fail_changed(json, "probabilities that do not sum to 1");
}

/* A matrix of label noise: for each true class a list of the probabilities of all labels, into
 * (*out)[true * classes + given]. */
static bool parse_matrix(struct json_reader *json, size_t classes, bool positive, double **out)
{
    size_t cells, c = 0;
    /* Two bytes a number at least, so that nothing much larger than the file is allocated. */
    if (!mul_size(classes, classes, &cells) || cells > (size_t)(json->to - json->from))
        return fail_changed(json, "a matrix of label noise that the file could not hold");
    *out = mem_alloc(cells, sizeof **out);
    if (!*out)
        return json_no_memory(json);
    if (!json_array(json))
        return false;
    for (; json_item(json); c++) {
        if (c == classes)
            return fail_changed(json, "more rows of the matrix of label noise than classes");
        if (!parse_matrix_row(json, classes, positive, *out + c * classes))
            return false;
    }
    if (json->status == TEMPER_OK && c < classes)
        return fail_changed(json, "fewer rows of the matrix of label noise than classes");
    return json->status == TEMPER_OK;
}

/* "correction": the matrix of forward correction, whose loss needs positive probabilities. */
static bool parse_correction(struct json_reader *json, struct model *model)
{
    if (!loss_has_transition(model->loss))
        return fail_changed(json, "a matrix of label noise that the method does not have");
    return parse_matrix(json, model->classes.count, true, &model->transition);
}

/* "schema": its columns must become as many features as the model has. */
static bool parse_schema(struct json_reader *json, struct model *model)
{
    return schema_parse(json, &model->schema) &&
           (model->schema->features == model->features || fail_changed(json, "a schema of another number of features"));
}

/* Keys of the object "calibration". */
enum {
    CALIBRATION_ORDER,
    CALIBRATION_FLOOR,
    CALIBRATION_ROWS,
    CALIBRATION_FOLDS,
    CALIBRATION_MATRIX_FLOOR,
    CALIBRATION_MATRIX, /* with that floor, or both are absent */
    CALIBRATION_KEYS
};
static const char *const calibration_keys[] = {"order", "floor", "rows", "folds", "matrix_floor", "matrix"};

/* "matrix": a list for each class, and one of the offsets. */
static bool parse_calibration_matrix(struct json_reader *json, struct model *model)
{
    size_t classes = model->classes.count, line = 0;
    if (classes > CALIBRATION_MATRIX_CLASSES)
        return fail_changed(json, "a matrix of the calibration for more classes than can have one");
    mem_free(model->calibration.matrix);
    model->calibration.matrix = mem_zeroed(classes + 1, classes * sizeof *model->calibration.matrix);
    if (!model->calibration.matrix)
        return json_no_memory(json);
    if (!json_array(json))
        return false;
    for (; json_item(json); line++) {
        if (line > classes)
            return fail_changed(json, "more lines of the calibration's matrix than classes and offsets");
        if (!json_f64_array(json, model->calibration.matrix + line * classes, classes))
            return false;
    }
    if (json->status == TEMPER_OK && line <= classes)
        return fail_changed(json, "fewer lines of the calibration's matrix than classes and offsets");
    return json->status == TEMPER_OK;
}

static bool is_share(double x)
{
    return x >= 0 && x <= 1;
}

/* "calibration": its keys in any order; the matrix and its floor are optional, but go together. */
static bool parse_calibration(struct json_reader *json, struct model *model)
{
    struct calibration *calibration = &model->calibration;
    uint64_t seen = 0;
    int key;
    if (!json_object(json))
        return false;
    while ((key = key_next(json, calibration_keys, CALIBRATION_KEYS, &seen)) >= 0) {
        if (key == CALIBRATION_ORDER || key == CALIBRATION_FLOOR)
            json_f64(json, key == CALIBRATION_ORDER ? &calibration->order : &calibration->floor);
        else if (key == CALIBRATION_MATRIX_FLOOR)
            json_f64(json, &calibration->matrix_floor);
        else if (key == CALIBRATION_MATRIX)
            parse_calibration_matrix(json, model);
        else
            json_u64(json, key == CALIBRATION_ROWS ? &calibration->rows : &calibration->folds);
    }
    uint64_t together = 1u << CALIBRATION_MATRIX_FLOOR | 1u << CALIBRATION_MATRIX;
    uint64_t needed = ((1u << CALIBRATION_KEYS) - 1) & ~(seen & together ? 0 : together);
    if (!keys_complete(json, calibration_keys, CALIBRATION_KEYS, needed & ~seen, "calibration"))
        return false;
    return (calibration->order > 0 && is_share(calibration->floor) && is_share(calibration->matrix_floor)) ||
           fail_changed(json, "a calibration whose order is not positive, or whose floor is not from 0 to 1");
}

/* Keys of the object "noise". */
enum { NOISE_RATE, NOISE_TRANSITION, NOISE_KEYS };
static const char *const noise_keys[] = {"rate", "transition"};

/* "noise": the rate, and perhaps the transition matrix. */
static bool parse_noise(struct json_reader *json, struct model *model)
{
    uint64_t seen = 0;
    int key;
    if (!json_object(json))
        return false;
    while ((key = key_next(json, noise_keys, NOISE_KEYS, &seen)) >= 0) {
        if (key == NOISE_RATE)
            json_f64(json, &model->noise.rate);
        else
            parse_matrix(json, model->classes.count, false, &model->noise.transition);
    }
    if (!keys_complete(json, noise_keys, NOISE_KEYS, (1u << NOISE_RATE) & ~seen, "noise"))
        return false;
    model->noise.known = true;
    return (model->noise.rate >= 0 && model->noise.rate <= 1) || fail_changed(json, "a rate that is not from 0 to 1");
}

/* All keys, in the order of the file, which is fixed: the parsers of later keys use what earlier ones have stored. */
static const struct model_key {
    const char *key;
    bool (*parse)(struct json_reader *json, struct model *model);
    bool optional;
} model_keys[] = {
    {"format", parse_any_text, false},
    {"version", parse_version, false},
    {"temper", parse_any_text, false},
    {"method", parse_method, false},
    {"t1", parse_t1, false},
    {"t2", parse_t2, false},
    {"smoothing", parse_smoothing, false},
    {"parameters", parse_parameters, true},
    {"l2", parse_l2, false},
    {"l1", parse_l1, true},
    {"classes", parse_class_names, false},
    {"features", parse_features, false},
    {"feature_names", parse_feature_names, true},
    {"intercept", parse_intercept, false},
    {"weights", parse_weights, false},
    {"correction", parse_correction, true},
    {"scale", parse_scale, false},
    {"schema", parse_schema, true},
    {"calibration", parse_calibration, true},
    {"noise", parse_noise, true},
    {"training", parse_training, false},
    {"checksum", parse_any_text, false},
};
enum { MODEL_KEYS = sizeof model_keys / sizeof *model_keys };

/* *at becomes the index of this key: the next one, or one after optional keys that are absent. */
static bool find_key(struct json_reader *json, const char *key, size_t *at)
{
    size_t found = 0;
    /* Linear: there are few keys. */
    while (found < MODEL_KEYS && strcmp(model_keys[found].key, key) != 0)
        found++;
    if (found == MODEL_KEYS)
        return json_fail(json, "a key that this temper does not know; the file was changed, or update temper");
    if (found < *at)
        return json_fail(json, "\"%s\" comes twice, or too late; the file was changed: train again", key);
    /* Keys that were left out in between must be optional. */
    for (; *at < found; (*at)++)
        if (!model_keys[*at].optional)
            return json_fail(json,
                             "\"%s\" is missing before this; the file was changed: train "
                             "again",
                             model_keys[*at].key);
    return true;
}

/* The whole object: every key but the optional ones, in order, and nothing after the closing bracket. */
static bool parse_keys_in_order(struct json_reader *json, struct model *model)
{
    char key[JSON_KEY];
    size_t at = 0;
    if (!json_object(json))
        return false;
    while (json_key(json, key)) {
        if (!find_key(json, key, &at) || !model_keys[at].parse(json, model))
            return false;
        at++;
    }
    if (json->status == TEMPER_OK && at < MODEL_KEYS)
        return json_fail(json, "\"%s\" is missing; the file was changed: train again", model_keys[at].key);
    return json_end(json);
}

/* Parses bytes whose checksum was verified; `name` is the file in messages. *out is untouched on failure. */
static temper_status parse_model(const char *name, const char *bytes, size_t length, struct model **out,
                                 temper_error *error)
{
    struct json_reader json;
    struct model *model = mem_zeroed(1, sizeof *model);
    if (!model)
        return error_no_memory(error);
    model->best_kernel = kernel_best();
    json_open(&json, name, bytes, length, error);
    if (!parse_keys_in_order(&json, model)) {
        model_free(model); /* which accepts a partial one */
        return json.status;
    }
    *out = model;
    return TEMPER_OK;
}

/* A file that is being read; the text is all of it, terminated by '\0'. */
struct model_input {
    struct source *source;
    const char *name;
    struct text text;
    temper_error *error;
};

/* ---- Other files -------------------------------------------------------------------------- */

/* Whether the first bytes are those of a model, as far as there are any: a file of three bytes may be a truncated
 * model. */
static bool begins_like_model(const char *bytes, size_t length)
{
    size_t head = strlen(MODEL_HEAD);
    return memcmp(bytes, MODEL_HEAD, length < head ? length : head) == 0;
}

/* The error for a file that is no model: names the kind of file, if the first bytes show it. `bytes` end with '\0'. */
static temper_status refuse_other_file(const struct model_input *input, const unsigned char *bytes, size_t length)
{
    const char *name = input->name;
    if (length == 0)
        return error_set(input->error, TEMPER_BAD_DATA, "%s: the file is empty, and no model; train one: temper train",
                         name);
    if (strstr((const char *)bytes, MODEL_FORMAT))
        return error_at(input->error, TEMPER_BAD_DATA, 1, 1,
                        "%s:1:1: a model, but not as temper wrote it; take the file as it was, or "
                        "train again",
                        name);
    /* JSON may be anything: its first bracket is no sign of data. */
    const struct format *format = format_of_content(bytes, length);
    if (format && bytes[0] != '{' && bytes[0] != '[')
        return error_set(input->error, TEMPER_BAD_DATA,
                         "%s: no model, but data, %s as it seems; name a model file, or train one: "
                         "temper train",
                         name, format->name);
    return error_set(input->error, TEMPER_BAD_DATA,
                     "%s: this is no model of temper; name a file that temper train wrote", name);
}

/* Checks the first bytes before the whole file is read: a data file may be larger than the memory. */
static temper_status check_head(const struct model_input *input)
{
    const unsigned char *bytes;
    char first[FIRST_LOOK + 1];
    size_t length;
    temper_status status = source_peek(input->source, FIRST_LOOK, &bytes, &length, input->error);
    if (status != TEMPER_OK)
        return status;
    /* What begins like a model is read as one, even if it is damaged further on: the messages are better there. */
    if (length > 0 && begins_like_model((const char *)bytes, length))
        return TEMPER_OK;
    memcpy(first, bytes, length);
    first[length] = '\0';
    return refuse_other_file(input, (const unsigned char *)first, length);
}

/* ---- Complete and undamaged --------------------------------------------------------------------- */

/* Reads the whole file, in pieces: a compressed file or a pipe has no known length. */
static temper_status read_all(struct model_input *input)
{
    struct text *text = &input->text;
    temper_status status = TEMPER_OK;
    char *piece = mem_alloc(PIECE, 1);
    if (!piece)
        return error_no_memory(input->error);
    /* A read of 0 bytes is the end of the file. */
    for (size_t got = 1; status == TEMPER_OK && got > 0 && !text->failed;) {
        status = source_read(input->source, piece, PIECE, &got, input->error);
        if (status == TEMPER_OK)
            text_append_bytes(text, piece, got);
    }
    mem_free(piece);
    return status == TEMPER_OK && text->failed ? error_no_memory(input->error) : status;
}

/* The error for a file that ends too early; its place is the end of the file, with line and column. A text editor can
 * go to that place, and a transfer that was interrupted is recognised by it. */
static temper_status refuse_truncated(const struct model_input *input)
{
    const struct text *text = &input->text;
    size_t line = 1, column = 1;
    for (size_t i = 0; i < text->length; i++) {
        bool newline = text->bytes[i] == '\n';
        line += newline;
        column = newline ? 1 : column + 1;
    }
    return error_at(input->error, TEMPER_BAD_DATA, line, column,
                    "%s:%zu:%zu: the file ends without its checksum: it was cut off or changed; "
                    "take a whole copy, or train again",
                    input->name, line, column);
}

/* Refuses a newer version, which may differ in everything after the second line, `"version": 1,`. Without such a line
 * the file is damaged, and the checksum shows it. */
static temper_status check_version(const struct model_input *input)
{
    const char *bytes = input->text.bytes, *from = bytes + strlen(MODEL_HEAD);
    const char *to = bytes + input->text.length, key[] = "\"version\": ";
    unsigned long long version;
    if ((size_t)(to - from) < sizeof key || memcmp(from, key, sizeof key - 1) != 0)
        return TEMPER_OK;
    from += sizeof key - 1;
    const char *end = memchr(from, ',', (size_t)(to - from));
    if (!end || !number_u64(from, end, &version) || version <= MODEL_VERSION)
        return TEMPER_OK;
    return error_at(input->error, TEMPER_BAD_DATA, 3, 12,
                    "%s:3:12: the model was written by a newer temper, in version %llu of the "
                    "format, and this one reads up to version %d; update temper",
                    input->name, version, (int)MODEL_VERSION);
}

/* Verifies the checksum (XXH3-128) of the bytes before it, at a fixed distance from the end of every file. The order of
 * the checks: the end of the file must look like a checksum at all, which a truncated file does not; then the digits
 * are compared. So truncation and damage have different messages. */
static temper_status check_sum(const struct model_input *input)
{
    char tail[MODEL_TAIL + 1];
    size_t length = input->text.length;
    const char *bytes = input->text.bytes, *found = bytes + length - MODEL_TAIL;
    if (length < strlen(MODEL_HEAD) + MODEL_TAIL || memcmp(found, "\"checksum\": \"", 13) != 0 ||
        memcmp(found + 13 + MODEL_DIGEST, "\"\n}\n", 4) != 0)
        return refuse_truncated(input);
    /* The expected tail is made by the writer's function, and compared as a whole. */
    model_tail(bytes, length - MODEL_TAIL, tail);
    if (memcmp(found, tail, MODEL_TAIL) == 0)
        return TEMPER_OK;
    return error_set(input->error, TEMPER_BAD_DATA,
                     "%s: the checksum is not that of the content: the file was damaged, or changed "
                     "by hand; take an undamaged copy, or train again",
                     input->name);
}

/* ---- The whole file -------------------------------------------------------------------------- */

/* Checks, then parses. The version comes first, because a newer format may have another checksum. */
static temper_status parse_checked(const struct model_input *input, struct model **out)
{
    TRY(check_version(input));
    TRY(check_sum(input));
    return parse_model(input->name, input->text.bytes, input->text.length, out, input->error);
}

/* A file that is no model is refused by its first bytes, before the rest is read. */
static temper_status load(struct model_input *input, struct model **out)
{
    TRY(check_head(input));
    TRY(read_all(input));
    return parse_checked(input, out);
}

/* The bytes are copied, because the parser needs a terminating '\0'. */
temper_status model_read_text(const char *bytes, size_t length, struct model **out, temper_error *error)
{
    struct model_input input = {.name = "model", .error = error};
    text_append_bytes(&input.text, bytes, length);
    temper_status status = input.text.failed ? error_no_memory(error) : TEMPER_OK;
    if (status == TEMPER_OK && (length == 0 || !begins_like_model(bytes, length)))
        status = error_set(error, TEMPER_BAD_DATA, "these bytes are no model of temper");
    if (status == TEMPER_OK)
        status = parse_checked(&input, out);
    text_free(&input.text);
    return status;
}

/* *out is untouched on failure. */
temper_status model_load(const char *path, struct model **out, temper_error *error)
{
    struct model_input input = {.error = error};
    temper_status status = source_open(path, &input.source, error);
    if (status != TEMPER_OK)
        return status;
    input.name = source_name(input.source);
    status = load(&input, out);
    text_free(&input.text);
    source_close(input.source);
    return status;
}
