/* schema: making, copying and freeing one. */
#include "data/schema.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

static const char *const missing_words[] = {
#define SCHEMA_MISSING_WORD(name, word) word,
    SCHEMA_MISSING_LIST(SCHEMA_MISSING_WORD)
#undef SCHEMA_MISSING_WORD
};

bool schema_missing_find(const char *word, enum schema_missing *missing)
{
    for (size_t i = 0; i < sizeof missing_words / sizeof *missing_words; i++)
        if (strcmp(word, missing_words[i]) == 0) {
            *missing = (enum schema_missing)i;
            return true;
        }
    return false;
}

const char *schema_missing_name(enum schema_missing missing)
{
    return missing_words[missing];
}

/* ---- Memory ---------------------------------------------------------------------------------- */

void names_free(struct names *names)
{
    for (size_t i = 0; names->name && i < names->count; i++)
        mem_free(names->name[i]);
    mem_free((void *)names->name);
    *names = (struct names){0};
}

/* Half-built ones too. */
void schema_free(struct schema *schema)
{
    if (!schema)
        return;
    for (size_t i = 0; schema->column && i < schema->columns; i++) {
        names_free(&schema->column[i].texts);
        mem_free(schema->column[i].name);
        mem_free(schema->column[i].fill);
    }
    mem_free(schema->column);
    mem_free(schema->label);
    mem_free(schema);
}

/* NULL stays NULL; false without memory. */
static bool copy_text(const char *text, char **out)
{
    size_t size = text ? strlen(text) + 1 : 0;
    char *copy = text ? mem_alloc(size, 1) : NULL;
    if (copy)
        memcpy(copy, text, size);
    *out = copy;
    return copy || !text;
}

/* What is copied is counted, so that it can be freed. */
static bool copy_names(const struct names *from, struct names *to)
{
    *to = (struct names){0};
    if (from->count == 0)
        return true;
    to->name = (char **)mem_zeroed(from->count, sizeof *to->name);
    if (!to->name)
        return false;
    for (; to->count < from->count; to->count++)
        if (!copy_text(from->name[to->count], &to->name[to->count]))
            return false;
    return true;
}

static bool copy_column(const struct schema_column *from, struct schema_column *to)
{
    to->position = from->position;
    if (!copy_text(from->name, &to->name) || !copy_names(&from->texts, &to->texts))
        return false;
    if (!from->fill)
        return true;
    size_t count = schema_column_features(from);
    to->fill = mem_alloc(count, sizeof *to->fill);
    if (to->fill)
        memcpy(to->fill, from->fill, count * sizeof *to->fill);
    return to->fill != NULL;
}

/* Empty columns, so many. */
static struct schema *new_schema(size_t columns)
{
    struct schema *schema = mem_zeroed(1, sizeof *schema);
    if (!schema)
        return NULL;
    schema->column = mem_zeroed(columns, sizeof *schema->column);
    if (!schema->column) {
        mem_free(schema);
        return NULL;
    }
    schema->columns = columns;
    return schema;
}

temper_status schema_copy(const struct schema *schema, struct schema **out, temper_error *error)
{
    struct schema *copy = new_schema(schema->columns);
    if (!copy)
        return error_no_memory(error);
    copy->file_columns = schema->file_columns;
    copy->label_position = schema->label_position;
    copy->missing = schema->missing;
    copy->features = schema->features;
    bool fine = copy_text(schema->label, &copy->label);
    for (size_t i = 0; fine && i < schema->columns; i++)
        fine = copy_column(&schema->column[i], &copy->column[i]);
    if (!fine) {
        schema_free(copy);
        return error_no_memory(error);
    }
    *out = copy;
    return TEMPER_OK;
}

temper_status schema_plain(size_t features, const struct names *names, struct schema **out, temper_error *error)
{
    struct schema *schema = new_schema(features);
    if (!schema)
        return error_no_memory(error);
    schema->features = features;
    schema->file_columns = features + 1;
    schema->label_position = features;
    bool fine = names->count == 0 || copy_text("label", &schema->label);
    for (size_t i = 0; fine && i < features; i++) {
        schema->column[i].position = i;
        fine = names->count == 0 || copy_text(names->name[i], &schema->column[i].name);
    }
    if (!fine) {
        schema_free(schema);
        return error_no_memory(error);
    }
    *out = schema;
    return TEMPER_OK;
}

/* ---- Names ----------------------------------------------------------------------------------- */

bool schema_has_names(const struct schema *schema)
{
    return schema->columns > 0 && schema->column[0].name;
}

size_t schema_column_features(const struct schema_column *column)
{
    return column->texts.count ? column->texts.count : 1;
}

/* "NAME" or "NAME=TEXT"; "c3" stands for a name that is not there. */
static char *feature_name(const struct schema_column *column, const char *text)
{
    char number[32];
    const char *name = column->name ? column->name : number;
    snprintf(number, sizeof number, "c%zu", column->position + 1);
    size_t size = strlen(name) + (text ? strlen(text) + 1 : 0) + 1;
    char *whole = mem_alloc(size, 1);
    if (whole)
        snprintf(whole, size, "%s%s%s", name, text ? "=" : "", text ? text : "");
    return whole;
}

temper_status schema_name_features(const struct schema *schema, struct names *names, temper_error *error)
{
    if (!schema_has_names(schema) && schema->features == schema->columns) {
        bool texts = false; /* a categorical column may have one text only */
        for (size_t i = 0; i < schema->columns; i++)
            texts |= schema->column[i].texts.count > 0;
        if (!texts)
            return TEMPER_OK;
    }
    names->name = (char **)mem_alloc(schema->features, sizeof *names->name);
    if (!names->name)
        return error_no_memory(error);
    for (size_t i = 0; i < schema->columns; i++) {
        const struct schema_column *column = &schema->column[i];
        for (size_t k = 0; k < schema_column_features(column); k++) {
            char *name = feature_name(column, column->texts.count ? column->texts.name[k] : NULL);
            if (!name)
                return error_no_memory(error);
            names->name[names->count++] = name;
        }
    }
    return TEMPER_OK;
}
