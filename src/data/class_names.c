/* class_names: from names to numbers, and a list that always fits in a message. */
#include "data/class_names.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "data/quote_text.h"

enum { ROOM_FOR_MORE = 32 }; /* " and 65533 more" */

const char *source_shown(const struct dataset *data, char out[PATH_SHOWN])
{
    return path_shown(data->source ? data->source : "data", out);
}

struct class_names_text class_names_text(const struct classes *classes)
{
    struct class_names_text list = {""};
    size_t used = 0, shown = 0;
    for (; shown < classes->count; shown++) {
        const char *name = classes->name[shown];
        struct token_text token = token_text(name, name + strlen(name));
        size_t length = strlen(token.text) + 2;
        if (used + length > sizeof list.text - ROOM_FOR_MORE)
            break;
        used += (size_t)snprintf(list.text + used, sizeof list.text - used, "%s%s", shown ? ", " : "", token.text);
    }
    if (shown < classes->count)
        snprintf(list.text + used, sizeof list.text - used, "%s%zu more", shown ? " and " : "", classes->count - shown);
    return list;
}

temper_status class_named(const struct dataset *data, const char *option, const char *name, uint32_t *number,
                          temper_error *error)
{
    uint32_t found = classes_find(&data->classes, name, strlen(name));
    if (found != UINT32_MAX) {
        *number = found;
        return TEMPER_OK;
    }
    char file[PATH_SHOWN];
    struct token_text token = token_text(name, name + strlen(name));
    source_shown(data, file);
    if (data->classes.count == 0)
        return error_set(error, TEMPER_USAGE,
                         "%s: %s names class '%.48s', but the data has no labels; name their "
                         "column by --label or their file by --labels",
                         file, option, token.text);
    return error_set(error, TEMPER_USAGE, "%s: %s: there is no class '%.48s'; classes are %s", file, option, token.text,
                     class_names_text(&data->classes).text);
}

temper_status classes_copy(const struct classes *from, struct classes *to, temper_error *error)
{
    struct classes copy = {0};
    for (size_t i = 0; i < from->count; i++) {
        if (classes_add(&copy, from->name[i], strlen(from->name[i])) != i) {
            classes_free(&copy);
            return error_no_memory(error);
        }
    }
    *to = copy;
    return TEMPER_OK;
}

/* The first row whose class has no new number; behind the last if all have. */
static uint64_t first_stranger(const struct dataset *data, const uint32_t *number)
{
    uint64_t row = 0;
    while (row < data->x.rows && number[data->label[row]] != CLASSES_NONE)
        row++;
    return row;
}

temper_status classes_adopt(struct dataset *data, const struct classes *classes, uint64_t *row, temper_error *error)
{
    struct classes copy, theirs = data->classes;
    uint32_t *number = mem_alloc(theirs.count, sizeof *number);
    if (!number)
        return error_no_memory(error);
    for (size_t c = 0; c < theirs.count; c++)
        number[c] = classes_find(classes, theirs.name[c], strlen(theirs.name[c]));
    *row = first_stranger(data, number);
    temper_status status = *row < data->x.rows ? TEMPER_BAD_DATA : classes_copy(classes, &copy, error);
    if (status == TEMPER_OK) {
        for (uint64_t i = 0; i < data->x.rows; i++)
            data->label[i] = number[data->label[i]];
        data->classes = copy;
        classes_free(&theirs);
    }
    mem_free(number);
    return status;
}
