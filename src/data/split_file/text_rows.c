/* text_rows: finds out what a text is by the readers' own rules (csv_describe, data_reader_open), then passes over it
 * line by line, or in tables row by row, since quoted cells may contain newlines. */
#include "data/split_file/text_rows.h"

#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "data/csv/csv_describe.h"
#include "data/quote_text.h"
#include "data/read/format.h"
#include "data/read/text_chunks.h"
#include "data/split_file/json_members.h"
#include "data/table/table_profile.h"

/* ---- What the file is ------------------------------------------------------------------------ */

/* Whether a text begins like an object: JSON lines. */
static bool begins_object(const unsigned char *bytes, size_t length)
{
    size_t i = length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < length && bytes[i] != '\0' && strchr(" \t\r\n", bytes[i]))
        i++;
    return i < length && bytes[i] == '{';
}

/* Whether the file has an object on each line, by the option or else by its first bytes. */
static temper_status is_json_lines(const char *path, const temper_read_options *options, bool *json,
                                   temper_error *error)
{
    struct source *source;
    const unsigned char *bytes;
    size_t length;
    *json = options->format && strcmp(options->format, "jsonl") == 0;
    if (options->format)
        return TEMPER_OK;
    TRY(source_open(path, &source, error));
    temper_status status = source_peek(source, 4096, &bytes, &length, error);
    if (status == TEMPER_OK)
        *json = begins_object(bytes, length);
    source_close(source);
    return status;
}

/* Takes over what was found out about a table. */
static temper_status take_table(struct text_file *file, const temper_table *table, temper_error *error)
{
    static const char *const words[] = {"comma", "semicolon", "tab", "bar", "space"};
    static const char separators[] = ",;\t| ";
    size_t i = 0;
    if (table->header < 0)
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: whether the first line holds names cannot be inferred; pass --header yes or no",
                         place_text(file->path).text);
    while (strcmp(words[i], table->separator) != 0)
        i++;
    csv_format_set(&file->format, separators[i]);
    file->skipped = table->skipped;
    file->header = table->header == 1;
    file->columns = table->columns;
    for (size_t column = 0; column < table->columns; column++)
        if (strcmp(table->column[column].role, "label") == 0)
            file->label = column;
    if (!file->header)
        return TEMPER_OK;
    file->names.name = (char **)mem_zeroed(table->columns, sizeof *file->names.name);
    bool fine = file->names.name != NULL;
    for (; fine && file->names.count < table->columns; file->names.count++) {
        const char *name = table->column[file->names.count].name;
        fine = copy_string(name ? name : "", &file->names.name[file->names.count]);
    }
    return fine ? TEMPER_OK : error_no_memory(error);
}

/* Describes a table by its first rows. */
static temper_status describe_table(struct text_file *file, struct data_reader *reader)
{
    temper_table *table;
    TRY(csv_describe(reader, &table));
    temper_status status = take_table(file, table, reader->error);
    csv_description_free(table);
    return status;
}

/* Recognises the format as every command does. */
static temper_status find_format(struct text_file *file, temper_error *error)
{
    struct data_reader reader = {.path = file->path, .options = &file->options, .error = error};
    struct dataset *notes = mem_zeroed(1, sizeof *notes);
    if (!notes)
        return error_no_memory(error);
    temper_status status = data_reader_open(&reader, notes);
    file->reencoded = reader.reencoded;
    if (status == TEMPER_OK && reader.format->read == read_libsvm) {
        file->kind = TEXT_ROWS_LIBSVM;
        file->columns = 1;
        file->label = 0;
    } else if (status == TEMPER_OK && reader.format->read == read_csv) {
        file->kind = TEXT_ROWS_TABLE;
        status = describe_table(file, &reader);
    }
    data_reader_close(&reader);
    dataset_free(notes);
    return status;
}

/* The members of the first object are the columns; the visit ends after it. */
struct first_object {
    struct text_file *file;
    temper_error *error;
};

static temper_status take_members(void *context, const struct text_piece *piece)
{
    const struct first_object *first = context;
    struct names *names = &first->file->names;
    struct json_members members = {.at = piece->from, .to = piece->to};
    while (names->count < JSON_MEMBERS_MOST && json_members_next(&members)) {
        struct text name = {0};
        text_append_bytes(&name, members.key, members.key_length);
        char **grown = (char **)mem_resize((void *)names->name, names->count + 1, sizeof *grown);
        if (grown)
            names->name = grown;
        if (!grown || name.failed) {
            text_free(&name);
            return error_no_memory(first->error);
        }
        names->name[names->count++] = name.bytes;
    }
    first->file->columns = names->count;
    /* The first object is enough: this status ends the visit, and find_members takes it for success. */
    return members.malformed
               ? error_set(first->error, TEMPER_BAD_DATA, "%s:%llu: this line is no JSON object; correct or remove it",
                           place_text(first->file->path).text, (unsigned long long)piece->number)
               : TEMPER_INTERRUPTED;
}

/* The label is the member of that option, else one with a name for labels, else the last. */
static temper_status find_members(struct text_file *file, temper_error *error)
{
    struct first_object first = {file, error};
    temper_status status = text_file_visit(file, take_members, &first, error);
    if (status != TEMPER_OK && status != TEMPER_INTERRUPTED)
        return status;
    file->label = file->columns > 0 ? file->columns - 1 : CSV_NO_COLUMN;
    for (size_t i = file->columns; i-- > 0;)
        if (name_is_label(file->names.name[i]))
            file->label = i;
    return TEMPER_OK;
}

temper_status text_file_open(const char *path, const temper_read_options *options, struct text_file *file,
                             temper_error *error)
{
    bool json;
    *file = (struct text_file){.path = path, .options = *options, .kind = TEXT_ROWS_NONE, .label = CSV_NO_COLUMN};
    file->options.automatic = 1;
    TRY(is_json_lines(path, options, &json, error));
    if (json)
        file->kind = TEXT_ROWS_JSON;
    temper_status status = json ? find_members(file, error) : find_format(file, error);
    const char *label = options->label;
    bool none = label && strcmp(label, "none") == 0;
    if (status == TEMPER_OK && none)
        file->label = CSV_NO_COLUMN;
    else if (status == TEMPER_OK && label && file->kind != TEXT_ROWS_NONE)
        status = text_file_column(file, "--label", label, &file->label, error);
    if (status != TEMPER_OK)
        text_file_free(file);
    return status;
}

void text_file_free(struct text_file *file)
{
    names_free(&file->names);
    *file = (struct text_file){0};
}

/* ---- The pieces ------------------------------------------------------------------------------ */

/* A visit in progress. */
struct text_visit {
    const struct text_file *file;
    text_piece_fn *visit;
    void *context;
    temper_error *error;
    uint64_t lines;  /* before the present position */
    bool header;     /* is still to come */
    bool begun;      /* some row was visited */
    const char *end; /* of the bytes of the file: a newline may have been added there */
};

/* Passes a piece [from, next) to the caller, without a newline that the file does not have. */
static temper_status give(struct text_visit *v, bool is_row, const char *from, const char *next,
                          const struct csv_line *line)
{
    struct text_piece piece = {is_row, from, next > v->end ? v->end : next, line, v->lines + 1};
    v->begun = v->begun || is_row;
    return v->visit(v->context, &piece);
}

/* The end of the line at p, behind its newline. */
static const char *after_line(const char *p, const char *to)
{
    const char *newline = memchr(p, '\n', (size_t)(to - p));
    return newline ? newline + 1 : to;
}

/* Whether a line is blank, or a comment of libsvm text. */
static bool is_empty_line(const struct text_file *file, const char *p, const char *next, bool *comment)
{
    while (p < next && strchr(" \t\r\n\v\f", *p) && *p)
        p++;
    *comment = file->kind == TEXT_ROWS_LIBSVM && p < next && *p == '#';
    return p == next;
}

/* Lines of libsvm or JSON. Comments before the first row belong to all copies. */
static temper_status visit_lines(struct text_visit *v, const char *from, const char *to)
{
    while (from < to) {
        bool comment;
        const char *next = after_line(from, to);
        bool empty = is_empty_line(v->file, from, next, &comment);
        if (!empty && !(comment && v->begun))
            TRY(give(v, !comment, from, next, NULL));
        v->lines++;
        from = next;
    }
    return TEMPER_OK;
}

/* The row of a table at p; *next is behind it. */
static temper_status visit_table_row(struct text_visit *v, const char *p, const char *to, const char **next)
{
    struct csv_line line = {0};
    enum csv_error_kind kind = csv_line_read(&v->file->format, p, to, &line);
    temper_status status = TEMPER_OK;
    if (kind == CSV_MEMORY)
        status = error_no_memory(v->error);
    else if (kind != CSV_FINE)
        status = error_set(v->error, TEMPER_BAD_DATA,
                           "%s:%llu: the row that begins here cannot be split into cells; correct its quotes",
                           place_text(v->file->path).text, (unsigned long long)v->lines + 1);
    if (status == TEMPER_OK)
        status = give(v, !v->header, p, line.next, &line);
    v->header = false;
    *next = line.next;
    csv_line_free(&line);
    return status;
}

/* Rows of a table, after the lines before it and the header. */
static temper_status visit_table(struct text_visit *v, const char *from, const char *to)
{
    for (;;) {
        const char *row = csv_skip_blank_lines(&v->file->format, from, to, &v->lines);
        if (row == to)
            return TEMPER_OK;
        const char *next = after_line(row, to);
        TRY(v->lines < v->file->skipped ? give(v, false, row, next, NULL) : visit_table_row(v, row, to, &next));
        v->lines += count_lines(row, (size_t)(next - row));
        from = next;
    }
}

/* A chunk, of which the first may begin with a byte order mark; the parser relies on a newline at its end, for which
 * there is space. */
static temper_status visit_chunk(struct text_visit *v, const struct text_chunk *chunk)
{
    char *from = chunk->bytes, *to = from + chunk->length;
    v->end = to;
    if (chunk->number == 0 && chunk->length >= 3 && memcmp(from, "\xef\xbb\xbf", 3) == 0) {
        TRY(give(v, false, from, from + 3, NULL));
        from += 3;
    }
    if (to > from && to[-1] != '\n')
        *to++ = '\n';
    return (v->file->kind == TEXT_ROWS_TABLE ? visit_table : visit_lines)(v, from, to);
}

/* Opens the text as the readers do: decompressed, and in UTF-8. */
static temper_status open_text(const struct text_file *file, struct text_chunks **chunks, temper_error *error)
{
    struct source *source;
    if (file->kind == TEXT_ROWS_JSON) {
        TRY(source_open(file->path, &source, error));
        return text_chunks_open(source, false, 0, chunks, error);
    }
    struct data_reader reader = {.path = file->path, .options = &file->options, .error = error};
    struct dataset *notes = mem_zeroed(1, sizeof *notes);
    if (!notes)
        return error_no_memory(error);
    temper_status status = data_reader_open(&reader, notes);
    dataset_free(notes);
    if (status != TEMPER_OK)
        return status;
    source = reader.source;
    reader.source = NULL;
    data_reader_close(&reader);
    return text_chunks_open(source, file->kind == TEXT_ROWS_TABLE, 0, chunks, error);
}

temper_status text_file_visit(const struct text_file *file, text_piece_fn *visit, void *context, temper_error *error)
{
    struct text_visit v = {.file = file, .visit = visit, .context = context, .error = error, .header = file->header};
    struct text_chunks *chunks;
    struct text_chunk *chunk;
    TRY(open_text(file, &chunks, error));
    temper_status status = TEMPER_OK;
    while (status == TEMPER_OK) {
        status = text_chunks_next(chunks, &chunk, error);
        if (status != TEMPER_OK || chunk->length == 0)
            break;
        status = visit_chunk(&v, chunk);
        if (status == TEMPER_OK)
            text_chunks_give_back(chunks, chunk);
    }
    text_chunks_close(chunks);
    return status;
}

/* ---- Cells ----------------------------------------------------------------------------------- */

temper_status text_file_column(const struct text_file *file, const char *option, const char *name, size_t *column,
                               temper_error *error)
{
    unsigned long long number;
    for (size_t i = 0; i < file->names.count; i++)
        if (strcmp(file->names.name[i], name) == 0) {
            *column = i;
            return TEMPER_OK;
        }
    if (file->kind == TEXT_ROWS_LIBSVM)
        return error_set(error, TEMPER_USAGE, "%s %.64s: rows of libsvm have no columns; give a table", option, name);
    if (file->kind == TEXT_ROWS_TABLE && number_u64(name, name + strlen(name), &number) && number >= 1 &&
        number <= file->columns) {
        *column = (size_t)number - 1;
        return TEMPER_OK;
    }
    return error_set(error, TEMPER_USAGE, "%s: there is no column '%.64s' for %s; pass %s", place_text(file->path).text,
                     name, option, file->header ? "a name of the header, or a number" : "the name or number of one");
}

/* The value of a member, without the quotes of a string; its escapes stay, which are the same for equal values. */
static temper_status member_cell(const struct text_file *file, const struct text_piece *piece, size_t column,
                                 struct text *out, temper_error *error)
{
    const char *name = file->names.name[column];
    struct json_members members = {.at = piece->from, .to = piece->to};
    while (json_members_next(&members)) {
        if (members.key_length != strlen(name) || memcmp(members.key, name, members.key_length) != 0)
            continue;
        bool string = members.value[0] == '"';
        out->length = 0; /* of equal keys the last counts */
        text_append_bytes(out, members.value + string, members.value_length - 2 * (size_t)string);
    }
    if (members.malformed)
        return error_set(error, TEMPER_BAD_DATA, "%s:%llu: this line is no JSON object; correct or remove it",
                         place_text(file->path).text, (unsigned long long)piece->number);
    return out->failed ? error_no_memory(error) : TEMPER_OK;
}

/* The first word of a line of libsvm, unless it is a feature already. */
static void label_cell(const struct text_piece *piece, struct text *out)
{
    const char *from = piece->from, *to;
    while (from < piece->to && strchr(" \t\r\v\f", *from) && *from)
        from++;
    for (to = from; to < piece->to && *to && !strchr(" \t\r\v\f\n#", *to);)
        to++;
    if (!memchr(from, ':', (size_t)(to - from)))
        text_append_bytes(out, from, (size_t)(to - from));
}

/* A cell of a table, unquoted. */
static temper_status table_cell(const struct text_file *file, const struct text_piece *piece, size_t column,
                                struct text *out, temper_error *error)
{
    if (piece->line->count != file->columns)
        return error_set(error, TEMPER_BAD_DATA, "%s:%llu: the row has %zu cells, others have %zu; correct it",
                         place_text(file->path).text, (unsigned long long)piece->number, piece->line->count,
                         file->columns);
    const struct csv_cell *cell = &piece->line->cell[column];
    text_append_bytes(out, cell->from, (size_t)(cell->to - cell->from));
    if (!out->failed && out->bytes)
        out->length = csv_unquote(cell, out->bytes);
    return out->failed ? error_no_memory(error) : TEMPER_OK;
}

temper_status text_piece_cell(const struct text_file *file, const struct text_piece *piece, size_t column,
                              struct text *out, temper_error *error)
{
    out->length = 0;
    if (file->kind == TEXT_ROWS_TABLE)
        return table_cell(file, piece, column, out, error);
    if (file->kind == TEXT_ROWS_JSON)
        return member_cell(file, piece, column, out, error);
    label_cell(piece, out);
    return out->failed ? error_no_memory(error) : TEMPER_OK;
}
