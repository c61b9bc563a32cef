/* text_copy: chunk by chunk, from the file to a sink. */
#include "data/write/text_edit.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "data/quote_text.h"
#include "data/read/format.h"
#include "data/read/text_chunks.h"
#include "data/schema.h"

/* The same format, or the same kind of name: table.csv may have tabs. */
static bool keeps_format(const struct dataset *data, const char *path, const char *format)
{
    const struct format *own = format_named(data->file.format);
    const struct format *by_name = format_of_path(path);
    if (format)
        return format_named(format) == own;
    return by_name && (by_name == own || by_name == format_of_path(data->file.path));
}

bool text_can_copy(const struct dataset *data, const char *path, const char *format)
{
    struct stat there;
    bool table = strcmp(data->file.format, "csv") == 0 || strcmp(data->file.format, "tsv") == 0;
    if (!table && strcmp(data->file.format, "libsvm") != 0)
        return false;
    if (!data->file.separator || !data->line || !data->label || data->file.separate_labels || data->ranks.comm)
        return false;
    if (table && (!data->schema || data->schema->label_position == SCHEMA_NO_LABEL))
        return false;
    if (stat(data->file.path, &there) != 0 || !S_ISREG(there.st_mode)) /* what came by a pipe is gone */
        return false;
    return keeps_format(data, path, format);
}

/* ---- What the formats share ------------------------------------------------------------------ */

temper_status text_has_changed(const struct text_copying *copying)
{
    return error_set(copying->error, TEMPER_BAD_DATA, "%s: has changed since it was read; audit it again",
                     place_text(copying->data->file.path).text);
}

size_t text_row_at(struct text_copying *copying, uint64_t line)
{
    const struct dataset *data = copying->data;
    while (copying->row < data->x.rows && data->line[copying->row] < line)
        copying->row++;
    if (copying->row == data->x.rows || data->line[copying->row] != line)
        return TEXT_NO_ROW;
    copying->found++;
    return copying->row;
}

temper_status text_put(struct text_copying *copying, const char *from, const char *to)
{
    if (to > copying->end)
        to = copying->end;
    return from < to ? atomic_file_write(copying->sink, from, (size_t)(to - from), copying->error) : TEMPER_OK;
}

temper_status text_put_edited(struct text_copying *copying, const char *from, const char *to,
                              const struct text_edit *edit)
{
    temper_status status = text_put(copying, from, edit->from);
    if (status == TEMPER_OK)
        status = atomic_file_write(copying->sink, edit->text, edit->length, copying->error);
    return status == TEMPER_OK ? text_put(copying, edit->to, to) : status;
}

/* ---- All of the file ------------------------------------------------------------------------- */

/* The last line of a table gets a newline to be read by, for which there is room. */
static temper_status copy_chunk(struct text_copying *copying, struct chunk *chunk)
{
    const bool table = copying->format.separator;
    char *from = chunk->bytes, *to = from + chunk->length;
    temper_status status = TEMPER_OK;
    copying->end = to;
    if (chunk->number == 0 && chunk->length >= 3 && memcmp(from, "\xef\xbb\xbf", 3) == 0) {
        status = text_put(copying, from, from + 3);
        from += 3;
    }
    if (table && to > from && to[-1] != '\n')
        *to++ = '\n';
    if (status != TEMPER_OK)
        return status;
    return table ? csv_copy(copying, from, to) : libsvm_copy(copying, from, to);
}

static temper_status copy_chunks(struct text_copying *copying)
{
    struct source *source;
    struct text_chunks *chunks;
    struct chunk *chunk;
    temper_status status = source_open(copying->data->file.path, &source, copying->error);
    if (status == TEMPER_OK)
        status = text_chunks_open(source, copying->format.separator, &chunks, copying->error);
    if (status != TEMPER_OK)
        return status;
    while ((status = text_chunks_next(chunks, &chunk, copying->error)) == TEMPER_OK && chunk->length > 0) {
        status = copy_chunk(copying, chunk);
        if (status != TEMPER_OK)
            break;
        text_chunks_give_back(chunks, chunk);
    }
    text_chunks_close(chunks);
    if (status == TEMPER_OK && copying->found != copying->data->x.rows)
        return text_has_changed(copying);
    return status;
}

temper_status text_copy(const struct dataset *data, const struct text_changes *changes, const char *path,
                        char weights[TEXT_COLUMN], temper_error *error)
{
    struct text_copying copying = {
        .data = data, .changes = changes, .error = error, .weights = weights, .header = data->file.header};
    weights[0] = '\0';
    if (strcmp(data->file.format, "libsvm") != 0) {
        csv_format_set(&copying.format, data->file.separator);
        if (changes->factor) /* a header gives it a name */
            snprintf(weights, TEXT_COLUMN, "%zu",
                     data->file.weight_column ? data->file.weight_column : data->schema->file_columns + 1);
    }
    temper_status status = atomic_file_open(path, &copying.sink, error);
    if (status != TEMPER_OK)
        return status;
    status = copy_chunks(&copying);
    if (status == TEMPER_OK)
        return atomic_file_commit(copying.sink, error);
    atomic_file_drop(copying.sink);
    return status;
}
