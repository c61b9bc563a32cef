/* csv_text_rows: reads a table whole, splits its first line, and visits its rows one after another. */
#include "data/csv/csv_text_rows.h"

#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "data/read/format.h"
#include "data/read/text_chunks.h"
#include "data/schema.h"

/* ---- The first line -------------------------------------------------------------------------- */

/* Reads all bytes, and adds the newline at the end on which the scan of a cell relies. */
static temper_status read_bytes(struct csv_text_table *table, temper_error *error)
{
    struct text *text = &table->text;
    TRY(source_whole(table->plan.path, NULL, text, error));
    const char *foreign =
        text->length > 0 ? unsupported_file((const unsigned char *)text->bytes, text->length, true) : NULL;
    if (foreign)
        return error_set(error, TEMPER_BAD_DATA, "%s: this is %s", place_text(table->plan.path).text, foreign);
    table->no_newline = text->length > 0 && text->bytes[text->length - 1] != '\n';
    text_append(text, "\n");
    return text->failed ? error_no_memory(error) : TEMPER_OK;
}

/* Sets the separator: that of the format or the name of the file, else that which the first line has. */
static void find_separator(struct csv_text_table *table, const char *format)
{
    const temper_read_options options = {.format = format};
    const struct data_reader reader = {.path = table->plan.path, .options = &options};
    char separator = csv_is_tsv(&reader) ? '\t' : csv_find_separator(table->from, table->to);
    table->plan.separator_inferred = separator != ',';
    csv_format_set(&table->plan.format, separator);
}

/* Keeps the cells of the first line as names of the columns, which csv_text_table_header may drop again. */
static temper_status keep_names(struct csv_text_table *table, const struct csv_line *line, temper_error *error)
{
    struct names *names = &table->plan.names;
    names->name = (char **)mem_zeroed(line->count, sizeof *names->name);
    table->cell = mem_alloc(line->count, sizeof *table->cell);
    if (!names->name || !table->cell)
        return error_no_memory(error);
    for (; names->count < line->count; names->count++) {
        const struct csv_cell *cell = &line->cell[names->count];
        size_t length = (size_t)(cell->to - cell->from);
        char *name = mem_alloc(length + 1, 1);
        if (!name)
            return error_no_memory(error);
        name[csv_unquote(cell, name)] = '\0';
        names->name[names->count] = name;
    }
    table->plan.columns = line->count;
    return TEMPER_OK;
}

/* Reports what is wrong at p, which is in the row that begins at `from` on line `line`. */
static temper_status refuse_at(const struct csv_text_table *table, struct csv_error *found, const char *from,
                               const char *p, temper_error *error)
{
    found->line = found->column = 1;
    for (; from < p; from++) {
        found->line += *from == '\n';
        found->column = *from == '\n' ? 1 : found->column + 1;
    }
    return csv_error_report(&table->plan, found, table->lines, error);
}

/* Splits the first line that is not blank. */
static temper_status split_first(struct csv_text_table *table, const char *format, temper_error *error)
{
    static const char mark[] = "\xEF\xBB\xBF";
    struct csv_line line = {0};
    table->from = table->text.bytes;
    table->to = table->from + table->text.length;
    if (strncmp(table->from, mark, strlen(mark)) == 0)
        table->from += strlen(mark);
    csv_format_set(&table->plan.format, ',');
    table->from = csv_skip_blank_lines(&table->plan.format, table->from, table->to, &table->lines);
    if (table->from == table->to)
        return error_set(error, TEMPER_BAD_DATA, "%s: no rows, it is empty or blank; give a file with rows",
                         place_text(table->plan.path).text);
    find_separator(table, format);
    struct csv_error found = {.kind = csv_line_read(&table->plan.format, table->from, table->to, &line)};
    temper_status status = found.kind == CSV_FINE ? keep_names(table, &line, error)
                                                  : refuse_at(table, &found, table->from, line.next, error);
    if (status == TEMPER_OK) {
        table->second = line.next;
        table->header_lines = count_lines(line.from, (size_t)(line.next - line.from));
    }
    csv_line_free(&line);
    return status;
}

temper_status csv_text_table_open(const char *path, const char *format, struct csv_text_table *table,
                                  temper_error *error)
{
    *table = (struct csv_text_table){.plan = {.path = path}};
    temper_status status = read_bytes(table, error);
    if (status == TEMPER_OK)
        status = split_first(table, format, error);
    if (status != TEMPER_OK)
        csv_text_table_free(table);
    return status;
}

/* Without a header the columns have numbers alone, also in messages. */
void csv_text_table_header(struct csv_text_table *table, bool header)
{
    table->plan.header = header;
    if (header) {
        table->from = table->second;
        table->lines += table->header_lines;
    } else {
        names_free(&table->plan.names);
    }
}

void csv_text_table_free(struct csv_text_table *table)
{
    names_free(&table->plan.names);
    mem_free(table->cell);
    mem_free(table->unquoted);
    text_free(&table->text);
    *table = (struct csv_text_table){0};
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Scans the cells of the row at p; cells beyond the number of columns are counted only. *next is after the row. */
static temper_status scan_cells(struct csv_text_table *table, const char *p, const char **next, temper_error *error)
{
    struct csv_cell beyond = {.next = p};
    const char *row = p;
    size_t count = 0, columns = table->plan.columns;
    for (bool ended = false; !ended; count++) {
        struct csv_cell *cell = count < columns ? &table->cell[count] : &beyond;
        struct csv_error found = {.kind = csv_scan(&table->plan.format, p, table->to, cell), .field = count};
        if (found.kind != CSV_FINE)
            return refuse_at(table, &found, row, cell->from, error);
        p = cell->next;
        ended = cell->ends_line;
    }
    *next = p;
    if (count == columns)
        return TEMPER_OK;
    struct csv_error found = {
        .kind = p == table->to && table->no_newline ? CSV_FIELDS_CUT : CSV_FIELDS, .line = 1, .count = count};
    return csv_error_report(&table->plan, &found, table->lines, error);
}

temper_status csv_text_rows(struct csv_text_table *table, size_t most, csv_text_row_fn *each, void *context,
                            temper_error *error)
{
    /* A visit of the first rows leaves the table as it is, for the visit of all. */
    const uint64_t lines = table->lines;
    const char *p = table->from;
    temper_status status = TEMPER_OK;
    for (size_t i = 0; status == TEMPER_OK && i < most; i++) {
        p = csv_skip_blank_lines(&table->plan.format, p, table->to, &table->lines);
        if (p == table->to)
            break;
        const char *next = p; /* of a row that cannot be scanned */
        status = scan_cells(table, p, &next, error);
        struct csv_text_row row = {table->cell, p, table->lines + 1};
        if (status == TEMPER_OK)
            status = each(context, &row, error);
        table->lines += count_lines(p, (size_t)(next - p));
        p = next;
    }
    table->lines = lines;
    return status;
}

/* ---- Cells ----------------------------------------------------------------------------------- */

const char *csv_cell_text(struct csv_text_table *table, const struct csv_cell *cell, size_t *length)
{
    *length = (size_t)(cell->to - cell->from);
    if (!cell->doubled)
        return cell->from;
    if (*length > table->unquoted_size) {
        char *grown = mem_resize(table->unquoted, *length, 1);
        if (!grown)
            return NULL;
        table->unquoted = grown;
        table->unquoted_size = *length;
    }
    *length = csv_unquote(cell, table->unquoted);
    return table->unquoted;
}

void csv_text_place(const struct csv_text_row *row, size_t field, size_t *line, size_t *column)
{
    const struct csv_cell *cell = &row->cell[field];
    *line = (size_t)row->line;
    *column = 1;
    for (const char *p = row->from; p < cell->from - cell->quoted; p++) {
        *line += *p == '\n';
        *column = *p == '\n' ? 1 : *column + 1;
    }
}

temper_status csv_text_refuse(const struct csv_text_table *table, const struct csv_text_row *row, size_t field,
                              enum csv_error_kind kind, temper_error *error)
{
    const struct csv_cell *cell = &row->cell[field];
    struct csv_error found = {.field = field};
    size_t line;
    csv_error_set(&found, kind, cell->from, cell->to);
    csv_text_place(row, field, &line, &found.column);
    found.line = line;
    return csv_error_report(&table->plan, &found, 0, error);
}

struct token_text short_token(const char *from, const char *to)
{
    return token_text(from, to - from > CSV_TOKEN_SHOWN ? from + CSV_TOKEN_SHOWN : to);
}

struct token_text short_text(const char *text)
{
    return short_token(text, text + strlen(text));
}

size_t csv_text_column(const struct csv_text_table *table, const char *name)
{
    unsigned long long number;
    for (size_t i = 0; i < table->plan.names.count; i++)
        if (strcmp(table->plan.names.name[i], name) == 0)
            return i;
    if (number_u64(name, name + strlen(name), &number) && number >= 1 && number <= table->plan.columns)
        return (size_t)number - 1;
    return CSV_NO_COLUMN;
}
