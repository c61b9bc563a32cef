/* jsonl_read: finds the keys of JSON lines, and converts the objects to rows of CSV. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "data/csv/csv_source.h"
#include "data/jsonl/jsonl.h"
#include "data/jsonl/jsonl_line.h"
#include "data/quote_text.h"
#include "data/read/file_join.h"
#include "data/read/line_reader.h"
#include "data/schema.h"
#include "data/string_table.h"

enum {
    KEYS_MOST = 65536,   /* more are no columns of a table: each row has keys of its own */
    TEXT_AT_ONCE = 65536 /* bytes of a text that cannot be opened again */
};

/* The text and its keys. Read only once it is made: the thread that reads ahead uses it too. */
struct jsonl_table {
    const char *path;
    struct text text;             /* of what cannot be opened twice: the standard input, a pipe, another encoding */
    const struct file_join *join; /* several files; NULL: one */
    const void *bytes;            /* of a text in memory; NULL: the file is opened again */
    size_t length;                /* of bytes */
    struct string_table number;   /* of each key */
    struct names keys;
    size_t capacity;             /* of keys.name */
    temper_read_options options; /* those of the caller, for CSV with a header */
    struct table_origin origin;
};

/* A cell of the row that is being converted. */
struct jsonl_cell {
    struct jsonl_member member;
    uint64_t line; /* 0: it was in no row yet */
};

/* Lines with the members of the present one by key. */
struct jsonl_rows {
    const struct jsonl_table *table;
    struct lines lines;
    struct jsonl_cell *cell; /* of each key that was known when the last line was read */
    size_t cells;
    char *scratch; /* a decoded string */
    size_t scratch_size;
    bool header; /* it was made */
    bool ended;
};

/* ---- The text ---------------------------------------------------------------------------------- */

/* Opens the text from its beginning. */
static temper_status rows_open(const struct jsonl_table *table, struct jsonl_rows *rows, temper_error *error)
{
    struct source *source;
    *rows = (struct jsonl_rows){.table = table};
    TRY(table->bytes  ? source_borrow(table->path, table->bytes, table->length, &source, error)
        : table->join ? file_join_open(table->join, &source, error)
                      : source_open(table->path, &source, error));
    return lines_from(source, table->path, &rows->lines, error);
}

static void rows_close(struct jsonl_rows *rows)
{
    lines_close(&rows->lines);
    mem_free(rows->cell);
    mem_free(rows->scratch);
    *rows = (struct jsonl_rows){0};
}

/* Reads all bytes that are left of a source. */
static temper_status take_all(struct source *source, struct text *text, temper_error *error)
{
    size_t got = TEXT_AT_ONCE;
    char *piece = mem_alloc(TEXT_AT_ONCE, 1);
    temper_status status = piece ? TEMPER_OK : error_no_memory(error);
    while (status == TEMPER_OK && got > 0) {
        status = source_read(source, piece, TEXT_AT_ONCE, &got, error);
        if (status == TEMPER_OK)
            text_append_bytes(text, piece, got);
    }
    mem_free(piece);
    return status == TEMPER_OK && text->failed ? error_no_memory(error) : status;
}

/* Keeps the text where it cannot be opened again. */
static temper_status keep_text(struct data_reader *reader, struct jsonl_table *table)
{
    table->join = reader->join;
    if (reader->join && !reader->reencoded)
        return TEMPER_OK;
    if (reader->bytes && !reader->reencoded) {
        table->bytes = reader->bytes;
        table->length = reader->byte_count;
        return TEMPER_OK;
    }
    bool file = source_file_size(reader->source) > 0 && strcmp(reader->path, "-") != 0;
    if (file && !reader->reencoded)
        return TEMPER_OK;
    TRY(take_all(reader->source, &table->text, reader->error));
    table->bytes = table->text.length > 0 ? table->text.bytes : "";
    table->length = table->text.length;
    return TEMPER_OK;
}

/* ---- Members ----------------------------------------------------------------------------------- */

/* The decoded string, valid until the next call; NULL without memory. */
static const char *decode(struct jsonl_rows *rows, const struct jsonl_string *string, size_t *length)
{
    size_t needed = (size_t)(string->to - string->from) + 1;
    if (needed > rows->scratch_size) {
        char *grown = mem_resize(rows->scratch, needed, 1);
        if (!grown)
            return NULL;
        rows->scratch = grown;
        rows->scratch_size = needed;
    }
    *length = jsonl_decode(string, rows->scratch);
    rows->scratch[*length] = '\0';
    return rows->scratch;
}

/* Reports what is wrong at `at` of the present line. */
static temper_status refuse(const struct jsonl_rows *rows, const struct jsonl_line *line, const char *at,
                            const char *words, temper_error *error)
{
    uint64_t number = rows->lines.number;
    const char *path = rows->table->path;
    size_t column = (size_t)(at - line->from) + 1;
    if (rows->table->join)
        file_join_place(rows->table->join, &path, &number);
    return error_at(error, TEMPER_BAD_DATA, (size_t)number, column, "%s:%zu:%zu: %s", place_text(path).text,
                    (size_t)number, column, words);
}

/* Reserves a cell for each known key. */
static bool reserve_cells(struct jsonl_rows *rows)
{
    size_t count = rows->table->keys.count;
    if (count <= rows->cells)
        return true;
    struct jsonl_cell *cell = mem_resize(rows->cell, count + count / 2, sizeof *cell);
    if (!cell)
        return false;
    memset(cell + rows->cells, 0, (count + count / 2 - rows->cells) * sizeof *cell);
    rows->cell = cell;
    rows->cells = count + count / 2;
    return true;
}

/* Adds a key that was not there before. False without memory. */
static bool add_key(struct jsonl_table *table, const char *key, size_t length)
{
    if (table->keys.count == table->capacity) {
        size_t capacity = 2 * table->capacity + 16;
        char **name = (char **)mem_resize((void *)table->keys.name, capacity, sizeof *name);
        if (!name)
            return false;
        table->keys.name = name;
        table->capacity = capacity;
    }
    char *copy = mem_alloc(length + 1, 1);
    if (!copy)
        return false;
    memcpy(copy, key, length + 1);
    table->keys.name[table->keys.count++] = copy;
    return string_table_add(&table->number, key, length, (uint32_t)(table->keys.count - 1));
}

/* A key that is not known yet. `found`: where it is added; NULL: there should be no new ones. */
static temper_status take_new_key(struct jsonl_rows *rows, struct jsonl_table *found, const struct jsonl_string *key,
                                  temper_error *error)
{
    size_t length;
    struct place_text place = place_text(rows->table->path);
    if (!found)
        return error_set(error, TEMPER_BAD_DATA, "%s: has changed while it was read; read it again", place.text);
    if (found->keys.count == KEYS_MOST)
        return error_at(error, TEMPER_BAD_DATA, rows->lines.number, 0,
                        "%s:%zu: more than %d different keys; give all rows the same keys, which are the columns",
                        place.text, rows->lines.number, KEYS_MOST);
    const char *text = decode(rows, key, &length);
    return text && add_key(found, text, length) ? TEMPER_OK : error_no_memory(error);
}

/* The number of a key; `found` as above. */
static temper_status number_of_key(struct jsonl_rows *rows, struct jsonl_table *found, const struct jsonl_string *key,
                                   uint32_t *number, temper_error *error)
{
    size_t length = (size_t)(key->to - key->from);
    const char *text = key->escaped ? decode(rows, key, &length) : key->from;
    if (!text)
        return error_no_memory(error);
    *number = string_table_find(&rows->table->number, text, length);
    if (*number != UINT32_MAX)
        return TEMPER_OK;
    *number = (uint32_t)rows->table->keys.count;
    return take_new_key(rows, found, key, error);
}

/* Files a member under its key. */
static temper_status keep_member(struct jsonl_rows *rows, struct jsonl_table *found, const struct jsonl_line *line,
                                 const struct jsonl_member *member, temper_error *error)
{
    uint32_t number;
    TRY(number_of_key(rows, found, &member->key, &number, error));
    if (!reserve_cells(rows))
        return error_no_memory(error);
    struct jsonl_cell *cell = &rows->cell[number];
    if (cell->line == rows->lines.number)
        return refuse(rows, line, member->key.from - 1, "a key that this object has already; remove one of the two",
                      error);
    cell->member = *member;
    cell->line = rows->lines.number;
    return TEMPER_OK;
}

/* Reads the next line into the cells. *blank: it has no object. `found` as above. */
static temper_status next_row(struct jsonl_rows *rows, struct jsonl_table *found, bool *blank, temper_error *error)
{
    const char *text;
    size_t length;
    struct jsonl_line line;
    struct jsonl_member member;
    TRY(lines_next(&rows->lines, &text, &length, error));
    rows->ended = text == NULL;
    *blank = true;
    if (!text)
        return TEMPER_OK;
    const char *trimmed = line_trim(text, &length);
    *blank = length == 0;
    if (*blank)
        return TEMPER_OK;
    jsonl_line_open(&line, text, trimmed + length);
    while (jsonl_line_next(&line, &member))
        TRY(keep_member(rows, found, &line, &member, error));
    return line.fault_at ? refuse(rows, &line, line.fault_at, line.fault, error) : TEMPER_OK;
}

/* ---- Keys -------------------------------------------------------------------------------------- */

/* Reads the whole text for its keys; all that is wrong with it is found here. */
static temper_status find_keys(struct jsonl_table *table, temper_error *error)
{
    struct jsonl_rows rows;
    bool blank;
    TRY(rows_open(table, &rows, error));
    temper_status status = TEMPER_OK;
    while (status == TEMPER_OK && !rows.ended)
        status = next_row(&rows, table, &blank, error);
    rows_close(&rows);
    if (status == TEMPER_OK && table->keys.count == 0)
        status =
            error_set(error, TEMPER_BAD_DATA, "%s: no object has a key; give rows such as {\"x\": 1, \"y\": \"a\"}",
                      place_text(table->path).text);
    return status;
}

/* ---- CSV --------------------------------------------------------------------------------------- */

/* Appends the value of a key in the present row. False without memory. */
static bool append_value(struct jsonl_rows *rows, size_t key, struct text *csv)
{
    const struct jsonl_cell *cell = key < rows->cells ? &rows->cell[key] : NULL;
    bool alone = rows->table->keys.count == 1;
    size_t length = 0;
    const char *text = "";
    if (cell && cell->line == rows->lines.number && cell->member.kind == JSONL_WORD) {
        text = cell->member.from;
        length = (size_t)(cell->member.to - text);
    } else if (cell && cell->line == rows->lines.number && cell->member.kind == JSONL_TEXT) {
        text = decode(rows, &cell->member.text, &length);
    }
    if (text)
        csv_append_cell(csv, text, length, alone);
    return text != NULL;
}

static void append_header(const struct names *keys, struct text *csv)
{
    for (size_t i = 0; i < keys->count; i++) {
        if (i > 0)
            text_append_bytes(csv, ",", 1);
        csv_append_cell(csv, keys->name[i], strlen(keys->name[i]), keys->count == 1);
    }
    text_append_bytes(csv, "\n", 1);
}

/* Converts the next line: csv_row_maker.append_line. A blank one stays blank, so that lines have the same numbers after
 * the header. */
static temper_status append_line(void *context, struct text *csv, bool *ended, temper_error *error)
{
    struct jsonl_rows *rows = context;
    const struct names *keys = &rows->table->keys;
    bool blank, fine = true;
    if (!rows->header) {
        append_header(keys, csv);
        rows->header = true;
        return TEMPER_OK;
    }
    TRY(next_row(rows, NULL, &blank, error));
    for (size_t i = 0; !blank && fine && i < keys->count; i++) {
        if (i > 0)
            text_append_bytes(csv, ",", 1);
        fine = append_value(rows, i, csv);
    }
    *ended = rows->ended;
    if (!rows->ended)
        text_append_bytes(csv, "\n", 1);
    return fine ? TEMPER_OK : error_no_memory(error);
}

static void free_rows(void *context)
{
    rows_close(context);
    mem_free(context);
}

/* A source that converts the text as it is read. */
static temper_status open_csv(const struct jsonl_table *table, struct source **out, temper_error *error)
{
    struct jsonl_rows *rows = mem_zeroed(1, sizeof *rows);
    if (!rows)
        return error_no_memory(error);
    temper_status status = rows_open(table, rows, error);
    if (status != TEMPER_OK) {
        mem_free(rows);
        return status;
    }
    const struct csv_row_maker maker = {rows, append_line, free_rows};
    return csv_source_open(table->path, &maker, out, error);
}

/* ---- The reader -------------------------------------------------------------------------------- */

/* Where the value of a key is in its line: table_origin.find_column. Opens the text again, for a message. */
static size_t find_column(const void *context, uint64_t line, size_t field)
{
    const struct jsonl_table *table = context;
    struct jsonl_rows rows;
    temper_error ignored;
    const char *text = NULL;
    size_t length, column = 0;
    uint32_t number;
    struct jsonl_line members;
    struct jsonl_member member;
    if (rows_open(table, &rows, &ignored) != TEMPER_OK)
        return 0;
    while (rows.lines.number < line && lines_next(&rows.lines, &text, &length, &ignored) == TEMPER_OK && text)
        continue;
    if (text && rows.lines.number == line) {
        jsonl_line_open(&members, text, text + length);
        while (column == 0 && jsonl_line_next(&members, &member))
            if (number_of_key(&rows, NULL, &member.key, &number, &ignored) == TEMPER_OK && number == field)
                column = (size_t)(member.from - text) + 1;
    }
    rows_close(&rows);
    return column;
}

/* Options that describe how a table is written as CSV have no meaning here. */
static temper_status refuse_options(const struct data_reader *reader)
{
    const temper_read_options *options = reader->options;
    bool header = options->header && strcmp(options->header, "auto") != 0;
    const char *given = options->separator ? "--sep" : header ? "--header" : options->skip ? "--skip" : NULL;
    if (!given)
        return TEMPER_OK;
    return error_set(reader->error, TEMPER_USAGE, "%s: %s is for CSV, and these are JSON lines; leave it out",
                     place_text(reader->path).text, given);
}

static temper_status make_table(struct data_reader *reader, struct jsonl_table *table)
{
    TRY(refuse_options(reader));
    table->path = reader->path;
    table->options = *reader->options;
    table->options.separator = ",";
    table->options.header = "yes";
    table->origin = (struct table_origin){table, find_column};
    TRY(keep_text(reader, table));
    return find_keys(table, reader->error);
}

temper_status jsonl_to_csv(struct data_reader *reader)
{
    struct source *csv = NULL;
    struct jsonl_table *table = mem_zeroed(1, sizeof *table);
    temper_status status = table ? make_table(reader, table) : error_no_memory(reader->error);
    data_reader_close_source(reader);
    if (status == TEMPER_OK)
        status = open_csv(table, &csv, reader->error);
    if (status != TEMPER_OK) {
        jsonl_free(table);
        return status;
    }
    reader->source = csv;
    reader->jsonl = table;
    reader->options = &table->options;
    reader->origin = &table->origin;
    return TEMPER_OK;
}

void jsonl_free(struct jsonl_table *table)
{
    if (!table)
        return;
    string_table_free(&table->number);
    names_free(&table->keys);
    text_free(&table->text);
    mem_free(table);
}

/* The reader_fn. */
temper_status read_jsonl(struct data_reader *reader, struct dataset *data)
{
    if (!reader->state)
        TRY(jsonl_to_csv(reader));
    temper_status status = read_csv(reader, data);
    data->file.format = "jsonl";
    return status;
}
