/* csv_text_rows: the rows of a table as texts, whatever its columns are. For tables that are no features and labels:
 * votes of annotators, identifiers of rows. The whole file is in memory while it is read. */
#ifndef DATA_CSV_TEXT_ROWS_H
#define DATA_CSV_TEXT_ROWS_H

#include "base/text.h"
#include "data/csv/csv.h"
#include "data/quote_text.h"

struct csv_text_table {
    struct text text;            /* of the whole file; ends in a newline */
    struct csv_column_plan plan; /* path, separator, number of columns, header and its names; no roles */
    const char *from, *to;       /* the rows */
    const char *second;          /* the second line, if the first is a header */
    uint64_t lines;              /* of the file before `from` */
    uint64_t header_lines;       /* those of the first line */
    bool no_newline;             /* the newline at the end is not in the file */
    struct csv_cell *cell;       /* of the present row: one for each column */
    char *unquoted;              /* the text of a cell with doubled quotes */
    size_t unquoted_size;
};

/* One row, valid during the call that has it. */
struct csv_text_row {
    const struct csv_cell *cell;
    const char *from;
    uint64_t line; /* on which it begins */
};

/* Reads the file and splits its first line, which counts as a row until csv_text_table_header. `format` is that of
 * temper_read_options: "csv", "tsv" or NULL. The path is borrowed. Nothing to free on failure. */
temper_status csv_text_table_open(const char *path, const char *format, struct csv_text_table *table,
                                  temper_error *error);
/* Whether the first line holds the names of the columns. To be called once at most. */
void csv_text_table_header(struct csv_text_table *table, bool header);
void csv_text_table_free(struct csv_text_table *table);

/* A status other than TEMPER_OK ends the rows. */
typedef temper_status csv_text_row_fn(void *context, const struct csv_text_row *row, temper_error *error);
/* Calls `each` for the first `most` rows, in order. Rows with another number of cells than the first line are refused.
 */
temper_status csv_text_rows(struct csv_text_table *table, size_t most, csv_text_row_fn *each, void *context,
                            temper_error *error);

/* The text of a cell with doubled quotes made single; valid until the next call. NULL without memory. */
const char *csv_cell_text(struct csv_text_table *table, const struct csv_cell *cell, size_t *length);
/* Reports an error in a cell of the row, with its line and column. */
temper_status csv_text_refuse(const struct csv_text_table *table, const struct csv_text_row *row, size_t field,
                              enum csv_error_kind kind, temper_error *error);
/* The place of a cell: its line and its first byte, from 1. */
void csv_text_place(const struct csv_text_row *row, size_t field, size_t *line, size_t *column);
/* A text for a message, of at most CSV_TOKEN_SHOWN bytes. */
struct token_text short_token(const char *from, const char *to);
struct token_text short_text(const char *text);
/* The column that an option names, by name or by number from 1; names take precedence. CSV_NO_COLUMN: none. */
size_t csv_text_column(const struct csv_text_table *table, const char *name);

#endif
