/* model_parse: the keys of a model file, each of the right kind, each once, and all in agreement.
 *
 * Sizes are believed only as far as the file could hold them: a number takes two bytes at least, so
 * nothing is allocated that is much larger than the file itself. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "model/model_file.h"
#include "tempered/loss_family.h"

/* ---- Keys ------------------------------------------------------------------------------------ */

int key_next(struct json_reader *json, const char *const *keys, int count, uint64_t *seen)
{
    char key[JSON_KEY];
    if (!json_key(json, key))
        return -1;
    for (int i = 0; i < count; i++) {
        if (strcmp(keys[i], key) != 0)
            continue;
        if (*seen >> i & 1) {
            json_fail(json, "\"%s\" comes twice; the file was changed: train again", key);
            return -1;
        }
        *seen |= (uint64_t)1 << i;
        return i;
    }
    json_fail(json, "a key that this temper does not know; the file was changed, or update temper");
    return -1;
}

bool keys_complete(struct json_reader *json, const char *const *keys, int count, uint64_t missing, const char *what)
{
    for (int i = 0; i < count; i++)
        if (missing >> i & 1)
            return json_fail(json, "\"%s\" is missing in this %s; the file was changed: train again", keys[i], what);
    return json->status == TEMPER_OK;
}

bool fail_changed(struct json_reader *json, const char *what)
{
    return json_fail(json, "%s; the file was changed: train again", what);
}

/* ---- Scaling --------------------------------------------------------------------------------- */

enum { SCALE_NAME, SCALE_CONSTANTS, SCALE_OFFSET, SCALE_FACTOR, SCALE_KEYS };
static const char *const scale_keys[] = {"name", "constants", "offset", "factor"};

static bool parse_scale_name(struct json_reader *json, struct scale *scale)
{
    char *name = NULL;
    if (!json_string(json, &name))
        return false;
    bool known = scale_find(name, &scale->kind);
    mem_free(name);
    return known || fail_changed(json, "a scaling of no known name");
}

static bool parse_column_numbers(struct json_reader *json, const struct model *model, double **out)
{
    *out = mem_alloc(model->features, sizeof **out);
    if (!*out)
        return json_no_memory(json);
    return json_f64_array(json, *out, model->features);
}

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

static bool parse_method(struct json_reader *json, struct model *model)
{
    char *name = NULL;
    if (!json_string(json, &name))
        return false;
    int known = temper_method_find(name, &model->loss.method);
    mem_free(name);
    return known || fail_changed(json, "a method of no known name");
}

/* At least 0; null where the method has no such thing. */
static bool parse_parameter(struct json_reader *json, bool meant, double *out)
{
    if (!meant) {
        *out = 0;
        return json_null(json) || fail_changed(json, "null must stand here for this method");
    }
    return json_f64(json, out) && (*out >= 0 || fail_changed(json, "a number below 0"));
}

/* Whether the temperatures are those that the method fixes. */
static bool loss_agrees(const struct model *model)
{
    temper_loss_spec fixed = temper_loss_resolve(model->loss);
    return fixed.t1 == model->loss.t1 && fixed.t2 == model->loss.t2;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static bool parse_class(struct json_reader *json, struct classes *classes)
{
    char *name = NULL;
    size_t before = classes->count;
    if (!json_string(json, &name))
        return false;
    uint32_t number = classes_add(classes, name, strlen(name));
    /* Numbers have one spelling, and "1.0" is not the one of 1. */
    bool fine = number == before && strcmp(classes->name[number], name) == 0;
    mem_free(name);
    if (number == CLASSES_NO_MEMORY)
        return json_no_memory(json);
    return fine || fail_changed(json, "a class that was there before, is one too many, or is "
                                      "spelled in another way than temper spells it");
}

static bool parse_class_names(struct json_reader *json, struct model *model)
{
    struct classes *classes = &model->classes;
    if (!json_array(json))
        return false;
    while (json_item(json) && parse_class(json, classes))
        continue;
    if (json->status == TEMPER_OK && classes->count < 2)
        return fail_changed(json, "fewer than two classes");
    return json->status == TEMPER_OK;
}

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

/* The file must be long enough for the weights that its sizes ask for: a digit and a comma each. */
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
    model->weights = mem_alloc(count, sizeof *model->weights);
    model->bias = mem_alloc(vectors, sizeof *model->bias);
    return (model->weights && model->bias) || json_no_memory(json);
}

static bool parse_intercept(struct json_reader *json, struct model *model)
{
    if (model->vectors == 1)
        return json_f64(json, model->bias);
    return json_f64_array(json, model->bias, model->vectors);
}

static bool parse_weights(struct json_reader *json, struct model *model)
{
    size_t vector = 0;
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

/* ---- The whole ------------------------------------------------------------------------------- */

static bool parse_format(struct json_reader *json, struct model *model)
{
    char *format = NULL;
    (void)model;
    if (!json_string(json, &format))
        return false;
    bool same = strcmp(format, MODEL_FORMAT) == 0;
    mem_free(format);
    return same || fail_changed(json, "another format");
}

/* A newer one was refused before. */
static bool parse_version(struct json_reader *json, struct model *model)
{
    uint64_t version;
    (void)model;
    return json_u64(json, &version) && (version == MODEL_VERSION || fail_changed(json, "a version that never was"));
}

/* Read and let go: which temper wrote it, and the checksum, which was verified. */
static bool parse_any_text(struct json_reader *json, struct model *model)
{
    char *text = NULL;
    (void)model;
    bool fine = json_string(json, &text);
    mem_free(text);
    return fine;
}

static bool parse_t1(struct json_reader *json, struct model *model)
{
    return parse_parameter(json, loss_has_temperatures(model->loss), &model->loss.t1);
}

static bool parse_t2(struct json_reader *json, struct model *model)
{
    return parse_parameter(json, loss_has_temperatures(model->loss), &model->loss.t2) &&
           (loss_agrees(model) || fail_changed(json, "temperatures that the method does not have"));
}

static bool parse_smoothing(struct json_reader *json, struct model *model)
{
    return parse_parameter(json, !loss_has_temperatures(model->loss), &model->loss.smoothing);
}

static bool parse_l2(struct json_reader *json, struct model *model)
{
    return parse_parameter(json, true, &model->l2);
}

static bool parse_schema(struct json_reader *json, struct model *model)
{
    return schema_parse(json, &model->schema) &&
           (model->schema->features == model->features || fail_changed(json, "a schema of another number of features"));
}

/* In the order of the file, which is fixed: later keys rely on earlier ones. */
static const struct part {
    const char *key;
    bool (*parse)(struct json_reader *json, struct model *model);
    bool optional;
} parts[] = {
    {"format", parse_format, false},
    {"version", parse_version, false},
    {"temper", parse_any_text, false},
    {"method", parse_method, false},
    {"t1", parse_t1, false},
    {"t2", parse_t2, false},
    {"smoothing", parse_smoothing, false},
    {"l2", parse_l2, false},
    {"classes", parse_class_names, false},
    {"features", parse_features, false},
    {"feature_names", parse_feature_names, true},
    {"intercept", parse_intercept, false},
    {"weights", parse_weights, false},
    {"scale", parse_scale, false},
    {"schema", parse_schema, true},
    {"training", training_parse, false},
    {"checksum", parse_any_text, false},
};
enum { PARTS = sizeof parts / sizeof *parts };

/* The part of this key: the next one, or one behind parts that may be left out. */
static bool find_part(struct json_reader *json, const char *key, size_t *at)
{
    size_t found = 0;
    while (found < PARTS && strcmp(parts[found].key, key) != 0)
        found++;
    if (found == PARTS)
        return json_fail(json, "a key that this temper does not know; the file was changed, or "
                               "update temper");
    if (found < *at)
        return json_fail(json, "\"%s\" comes twice, or too late; the file was changed: train again", key);
    for (; *at < found; (*at)++)
        if (!parts[*at].optional)
            return json_fail(json,
                             "\"%s\" is missing before this; the file was changed: train "
                             "again",
                             parts[*at].key);
    return true;
}

static bool parse_parts(struct json_reader *json, struct model *model)
{
    char key[JSON_KEY];
    size_t at = 0;
    if (!json_object(json))
        return false;
    while (json_key(json, key)) {
        if (!find_part(json, key, &at) || !parts[at].parse(json, model))
            return false;
        at++;
    }
    if (json->status == TEMPER_OK && at < PARTS)
        return json_fail(json, "\"%s\" is missing; the file was changed: train again", parts[at].key);
    return json_end(json);
}

temper_status model_parse(const char *name, const char *bytes, size_t length, struct model **out, temper_error *error)
{
    struct json_reader json;
    struct model *model = mem_zeroed(1, sizeof *model);
    if (!model)
        return error_no_memory(error);
    json_open(&json, name, bytes, length, error);
    if (!parse_parts(&json, model)) {
        model_free(model);
        return json.status;
    }
    *out = model;
    return TEMPER_OK;
}
