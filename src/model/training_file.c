/* training_file: how a model was trained, as a part of its file: one list for both directions. */
#include <stddef.h>
#include <string.h>

#include "base/json_write.h"
#include "base/memory.h"
#include "model/model_file.h"

enum field_kind { FIELD_TEXT, FIELD_F64, FIELD_U64, FIELD_SIZE };

/* Members of struct training, in the order of the file. */
#define TRAINING_LIST(X)                                                                                               \
    X(solver, FIELD_TEXT)                                                                                              \
    X(stop, FIELD_TEXT)                                                                                                \
    X(init, FIELD_TEXT)                                                                                                \
    X(precision, FIELD_TEXT)                                                                                           \
    X(fingerprint, FIELD_TEXT)                                                                                         \
    X(tolerance, FIELD_F64)                                                                                            \
    X(max_iterations, FIELD_SIZE)                                                                                      \
    X(seed, FIELD_U64)                                                                                                 \
    X(rows, FIELD_U64)                                                                                                 \
    X(weight_sum, FIELD_F64)                                                                                           \
    X(objective, FIELD_F64)                                                                                            \
    X(loss, FIELD_F64)                                                                                                 \
    X(gradient, FIELD_F64)                                                                                             \
    X(accuracy, FIELD_F64)                                                                                             \
    X(iterations, FIELD_U64)                                                                                           \
    X(evaluations, FIELD_U64)                                                                                          \
    X(starts, FIELD_U64)

struct field {
    enum field_kind kind;
    size_t offset, size;
};

static const struct field training_fields[] = {
#define TRAINING_FIELD(name, kind) {kind, offsetof(struct training, name), sizeof((struct training *)0)->name},
    TRAINING_LIST(TRAINING_FIELD)
#undef TRAINING_FIELD
};

static const char *const training_keys[] = {
#define TRAINING_KEY(name, kind) #name,
    TRAINING_LIST(TRAINING_KEY)
#undef TRAINING_KEY
        "intercept"};

enum { TRAINING_FIELDS = sizeof training_fields / sizeof *training_fields, TRAINING_KEYS = TRAINING_FIELDS + 1 };

/* ---- Writing --------------------------------------------------------------------------------- */

static void write_field(const struct field *field, const void *base, struct text *text)
{
    const char *at = (const char *)base + field->offset;
    double number;
    uint64_t count;
    size_t size;
    if (field->kind == FIELD_TEXT) {
        json_write_string(text, at);
    } else if (field->kind == FIELD_F64) {
        memcpy(&number, at, sizeof number);
        json_write_f64(text, number);
    } else if (field->kind == FIELD_U64) {
        memcpy(&count, at, sizeof count);
        text_format(text, "%llu", (unsigned long long)count);
    } else {
        memcpy(&size, at, sizeof size);
        text_format(text, "%zu", size);
    }
}

void training_write(const struct model *model, struct text *text)
{
    text_append(text, "\"training\": {\n");
    for (size_t i = 0; i < TRAINING_FIELDS; i++) {
        text_format(text, "\"%s\": ", training_keys[i]);
        write_field(&training_fields[i], &model->training, text);
        text_append(text, ",\n");
    }
    text_format(text, "\"intercept\": %s\n},\n", model->intercept ? "true" : "false");
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* A text of bounded length, into an array of the structure. */
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

static bool parse_field(struct json_reader *json, const struct field *field, void *base)
{
    char *at = (char *)base + field->offset;
    double number;
    uint64_t count;
    if (field->kind == FIELD_TEXT)
        return parse_short_text(json, at, field->size);
    if (field->kind == FIELD_F64) {
        if (json_f64(json, &number))
            memcpy(at, &number, sizeof number);
        return json->status == TEMPER_OK;
    }
    if (!json_u64(json, &count))
        return false;
    if (field->kind == FIELD_U64) {
        memcpy(at, &count, sizeof count);
        return true;
    }
    size_t size = (size_t)count;
    memcpy(at, &size, sizeof size);
    return size == count || fail_changed(json, "a count that is too large");
}

bool training_parse(struct json_reader *json, struct model *model)
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
