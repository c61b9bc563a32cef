/* text_rows: the rows of a text file as they are written: tables, libsvm, JSON lines. For copies of some of them, byte
 * for byte. The file is read once for each visit, in chunks. */
#ifndef DATA_TEXT_ROWS_H
#define DATA_TEXT_ROWS_H

#include "base/text.h"
#include "data/csv/csv.h"

enum text_rows_kind {
    TEXT_ROWS_TABLE,
    TEXT_ROWS_LIBSVM,
    TEXT_ROWS_JSON, /* an object on each line */
    TEXT_ROWS_NONE  /* the file is no such text */
};

/* What a file is, found from its first lines. */
struct text_file {
    const char *path; /* borrowed, as the options are */
    temper_read_options options;
    enum text_rows_kind kind;
    struct csv_format format; /* of a table, */
    uint64_t skipped;         /* lines before it, */
    bool header;              /* and whether its first line holds names */
    size_t columns;
    struct names names; /* of columns: of the header, or of the members of the first object; else none */
    size_t label;       /* the column of the labels; CSV_NO_COLUMN: none */
    bool reencoded;     /* the text is a copy in UTF-8 */
};

/* A part of the text: a row, or what belongs to no row and precedes them: a header, comments, lines before a table. */
struct text_piece {
    bool is_row;
    const char *from, *to;       /* `to` is behind the line end, if the file has one there */
    const struct csv_line *line; /* the cells of a row of a table */
    uint64_t number;             /* of the line, from 1 */
};

/* A status other than TEMPER_OK ends the visit. */
typedef temper_status text_piece_fn(void *context, const struct text_piece *piece);

/* Nothing to free on failure. */
temper_status text_file_open(const char *path, const temper_read_options *options, struct text_file *file,
                             temper_error *error);
void text_file_free(struct text_file *file);
/* Visits all pieces in their order; blank lines, and comments between rows, are left out. */
temper_status text_file_visit(const struct text_file *file, text_piece_fn *visit, void *context, temper_error *error);

/* The column that an option names: by name, or in tables by number from 1. Refuses one that does not exist. */
temper_status text_file_column(const struct text_file *file, const char *option, const char *name, size_t *column,
                               temper_error *error);
/* Sets *out to the text of a row in a column, without quotes; empty where it has none. Refuses a row that cannot be
 * split. */
temper_status text_piece_cell(const struct text_file *file, const struct text_piece *piece, size_t column,
                              struct text *out, temper_error *error);

#endif
