/* libsvm_copy: lines of libsvm text, without some rows or with other labels. */
#include <string.h>

#include "data/write/text_edit.h"

/* The first word of the row. */
static temper_status relabel(struct text_copying *copying, const char *from, const char *to, uint32_t label)
{
    const char *name = copying->data->classes.name[label];
    struct text_edit edit = {.from = from, .text = name, .length = strlen(name)};
    while (edit.from < to && strchr(" \t\r\v\f", *edit.from))
        edit.from++;
    for (edit.to = edit.from; edit.to < to && !strchr(" \t\r\v\f\n#", *edit.to);)
        edit.to++;
    return text_put_edited(copying, from, to, &edit);
}

static temper_status copy_line(struct text_copying *copying, const char *from, const char *to)
{
    const struct text_changes *changes = copying->changes;
    size_t row = text_row_at(copying, ++copying->lines);
    if (row != TEXT_NO_ROW && changes->dropped && changes->dropped[row])
        return TEMPER_OK;
    if (row != TEXT_NO_ROW && changes->label && changes->label[row] != copying->data->label[row])
        return relabel(copying, from, to, changes->label[row]);
    return text_put(copying, from, to);
}

temper_status libsvm_copy(struct text_copying *copying, const char *from, const char *to)
{
    temper_status status = TEMPER_OK;
    while (status == TEMPER_OK && from < to) {
        const char *newline = memchr(from, '\n', (size_t)(to - from));
        const char *next = newline ? newline + 1 : to;
        status = copy_line(copying, from, next);
        from = next;
    }
    return status;
}
