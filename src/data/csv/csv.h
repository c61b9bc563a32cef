/* csv: tables as text, separated by commas, semicolons or tabs.
 *
 * What is read. Cells may be quoted as in RFC 4180: a quoted cell may hold separators, newlines
 * and, doubled, quotes. Blanks around a cell do not belong to it, unless they are within its
 * quotes. Lines end in \n or \r\n; blank lines are skipped, and so is a byte order mark. Every row
 * has as many cells as the first line. What is not understood is refused: a quote within a bare
 * cell, text after a closing quote, a carriage return within a line, a NUL byte.
 *
 * Separator: a tab if the format is tsv, by option or by name. Otherwise a comma if the first line
 * has one; if not, a tab or a semicolon, whichever it has more of, with a note.
 *
 * Header, unless the option says yes or no. Looked at are the columns in which the second line has
 * a number. If the first line has a number there too, it is a row. If it has text in at least one
 * of them, and missing values in the others, it is a header. Two things come before this: a column
 * that an option names and the first line holds makes it a header, and so does a last cell `label`,
 * which is what write_csv writes. If neither line has a number, both are possible, and the file is
 * refused until the option says which. If only the first has one, or it is all alone with one, it
 * is a row.
 *
 * Columns are named by the header or by number from 1; a name goes before a number. The label is
 * the last column that is not ignored and has no weights, unless the option names one, or "none"; a
 * file of labels (`labels`) means "none" too.
 *
 * Missing values are an empty cell, NA, N/A, n/a, NaN, nan, NAN, null, NULL and ?, quoted or not.
 * They are refused, or become 0, or the mean of the column's other values; or their rows are
 * dropped. For a categorical column these are zeros, or the shares of its values. A missing label
 * or weight is refused unless rows with missing values are dropped.
 *
 * Categorical columns become one feature of zeros and ones for each distinct text, NAME=TEXT, in
 * order of first appearance; 1 and 1.0 are two texts. Without a header the columns are named c1,
 * c2... then. "all" stands for the columns that hold text within the first chunk of the file, and
 * may be followed by names: text that comes later in another column is refused, with the name to be
 * added. */
#ifndef DATA_CSV_H
#define DATA_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/dataset.h"
#include "data/read/read.h"

#define CSV_NO_COLUMN SIZE_MAX
#define CSV_NO_CODE   UINT32_MAX /* of a categorical cell: it is missing */

/* ---- Cells
 * ---------------------------------------------------------------------------------------- */

/* How a line falls into cells. */
struct csv_format {
    char separator;
    bool stop[256]; /* what ends the scan of a bare cell: separator, line end, quote, NUL */
};

struct csv_cell {
    const char *from, *to; /* without its quotes, or without the blanks around it */
    const char *next;      /* behind what ended it */
    bool quoted;
    bool doubled;   /* has doubled quotes, to be made single */
    bool ends_line; /* by a newline, not by a separator */
};

/* What can be wrong with a table; csv_fault.c has the words. */
enum csv_error_kind {
    CSV_FINE,
    CSV_MEMORY,
    CSV_QUOTE_OPEN,
    CSV_QUOTE_INSIDE,
    CSV_QUOTE_BEHIND,
    CSV_RETURN,
    CSV_NUL,
    CSV_FIELDS,
    CSV_FIELDS_CUT,
    CSV_TEXT,
    CSV_TEXT_FIRST,
    CSV_TEXT_LIKE, /* the two for a model; only the words differ */
    CSV_TEXT_FIRST_LIKE,
    CSV_TEXT_MANY, /* the two where other columns have text too */
    CSV_TEXT_FIRST_MANY,
    CSV_TEXT_LATER,  /* where the first row has none: rather a cell that is wrong */
    CSV_TEXT_FIGURE, /* a number, but for how it is written */
    CSV_MISSING,
    CSV_NOT_FINITE,
    CSV_TOO_LARGE_F32,
    CSV_TOO_LARGE,
    CSV_LABEL_MISSING,
    CSV_LABEL_NOT_FINITE,
    CSV_LABELS,
    CSV_VALUES,
    CSV_WEIGHT_MISSING,
    CSV_WEIGHT
};

enum {
    CSV_TOKEN_SHOWN = 20, /* bytes of a cell in a message; the remedy must fit in behind it */
    CSV_NAME_SHOWN = 24   /* of a column's name */
};

struct csv_error {
    enum csv_error_kind kind;
    uint64_t line; /* from 1, within what was parsed by one call */
    size_t column; /* the byte of the line, from 1; 0: the whole line */
    size_t field;  /* the column of the table, from 0 */
    size_t count;  /* of fields */
    char token[4 * CSV_TOKEN_SHOWN + 4];
};

void csv_format_set(struct csv_format *format, char separator);
/* Takes the cell at p apart; the text ends in a newline just before `to`. On a fault cell->from is
 * where it is. */
enum csv_error_kind csv_scan(const struct csv_format *format, const char *p, const char *to, struct csv_cell *cell);
bool csv_is_missing(const struct csv_cell *cell);
bool csv_is_number(const struct csv_cell *cell);
/* Writes the cell's text to `out`, with room for all its bytes, doubled quotes made single; returns
 * the length. */
size_t csv_unquote(const struct csv_cell *cell, char *out);
/* Behind the blank lines at p, counting them; *lines may be NULL. */
const char *csv_skip_blank_lines(const struct csv_format *format, const char *p, const char *to, uint64_t *lines);

/* ---- The plan: what each column is
 * ------------------------------------------------------------------ */

enum csv_role { CSV_FEATURE, CSV_CATEGORY, CSV_LABEL, CSV_WEIGHT_COLUMN, CSV_IGNORED };

enum { CSV_TEXTS_KEPT = 32 }; /* columns of text that a message may tell of */

enum csv_missing_rule { CSV_REFUSE, CSV_ZERO, CSV_MEAN, CSV_DROP };

struct csv_column_plan {
    const char *path;
    struct csv_format format;
    bool separator_told;      /* by the first line, not by the format */
    bool header, header_told; /* told: by the option */
    enum csv_missing_rule missing;
    bool f64;
    bool all_text;        /* text columns of the first chunk are categorical */
    size_t columns;       /* of the file */
    unsigned char *role;  /* of each */
    struct names names;   /* of each, if there is a header */
    size_t label, weight; /* CSV_NO_COLUMN: none */
    bool label_guessed;   /* no option has named it */
    size_t width;         /* features and categories: cells of a row that are kept */
    size_t cell_size;     /* of a float or a double */
    size_t row_size;      /* width * cell_size */
    size_t *category;     /* categorical columns, ascending */
    size_t *slot;         /* and the place of each among the kept cells */
    size_t categories;
    size_t *like;                /* by a schema: the column of the file that each of its columns is */
    size_t unknowns, unknown;    /* columns that it does not know, and the first of them */
    size_t text[CSV_TEXTS_KEPT]; /* features that hold text in the first lines, ascending, */
    size_t texts;                /* if the first row has some; more than fit in are not kept */
};

/* Text that ends in a newline; `cut`: the file's last line has none of its own. */
struct csv_piece {
    const char *from, *to;
    bool first; /* begins with the file's first line, which was taken for a row */
    bool cut;
};

/* A line of the file taken apart; the cells point into it. */
struct csv_line {
    struct csv_cell *cell;
    size_t count;
    const char *from, *next;
};

/* The next row at p. */
enum csv_error_kind csv_line_read(const struct csv_format *format, const char *p, const char *to,
                                  struct csv_line *line);
void csv_line_free(struct csv_line *line);

/* Whether the option or the name of the file says so. */
bool csv_is_tsv(const struct reading *reading);
/* The separator of a file that is not, and whose first line is at p. */
char csv_find_separator(const char *p, const char *to);
/* Is the first line a header? `second` is NULL if there is no other. */
temper_status csv_find_header(struct csv_column_plan *plan, const struct reading *reading, const struct csv_line *first,
                              const struct csv_line *second);

/* Fills columns, names and roles, from the first line and the options. */
temper_status csv_columns_plan(struct csv_column_plan *plan, const struct reading *reading,
                               const struct csv_line *first);
/* Makes features that hold text within the piece categorical, if the options want all such. */
void csv_columns_text(struct csv_column_plan *plan, const struct csv_piece *piece);
/* Remembers which features hold text in the first lines of a piece, if the first row has some: a
 * user who is told of one column only meets the next one in the next attempt. */
void csv_columns_find_texts(struct csv_column_plan *plan, const struct csv_piece *piece);
/* Counts what the roles came to; the last step. */
temper_status csv_columns_finish(struct csv_column_plan *plan, const struct reading *reading);
void csv_columns_free(struct csv_column_plan *plan);

struct csv_column_text {
    char text[48];
};
/* A column as an option would name it: its name if that is short, plain and unique, else its
 * number. */
struct csv_column_text csv_column_option(const struct csv_column_plan *plan, size_t column);
/* "column 'sepal length'", or "column 3" if it has no name that can be shown. */
struct csv_column_text csv_column_shown(const struct csv_column_plan *plan, size_t column);

/* ---- Rows
 * ------------------------------------------------------------------------------------------- */

/* Rows that were read: all of them, or those of one chunk. */
struct csv_rows {
    struct disk_array *spill; /* where the arrays are; NULL: in memory */
    size_t rows, capacity;
    unsigned char *cells; /* rows * width floats or doubles; NaN is a missing value. A categorical
                           * cell holds its code in its first four bytes */
    uint32_t *label;      /* NULL without labels, and so on */
    double *weight;
    uint64_t *line;
    struct classes classes;   /* of the label */
    struct classes *category; /* "=TEXT" of each categorical column: never taken for numbers */
    struct csv_codes *codes;  /* of a part: what the whole calls these; internal */
    size_t bytes;             /* of a part: the text that it is of */
    uint64_t lines;           /* read so far, from the beginning of the part */
    uint64_t missing;         /* cells that were */
    uint64_t dropped;         /* rows */
    struct csv_error fault;
};

/* From {0}, but for the lines before it. */
bool csv_rows_start(struct csv_rows *part, const struct csv_column_plan *plan);
/* Room for so many rows in all. */
bool csv_rows_reserve(struct csv_rows *part, const struct csv_column_plan *plan, size_t rows);
/* The same for rows that will probably come; does nothing without the memory for them. */
void csv_rows_expect(struct csv_rows *part, const struct csv_column_plan *plan, size_t rows);
/* Empty again, with its memory and its classes: those of the next chunk are mostly the same. */
void csv_rows_clear(struct csv_rows *part);
/* Turns the codes of `part` into those of `whole`, always the same one, which learns new ones, row
 * by row; rows behind the first that does not fit are cut off, and the fault is set. */
void csv_rows_recode(struct csv_rows *part, struct csv_rows *whole, const struct csv_column_plan *plan);
/* Adds copies of the rows of `part` to `whole`, its counts and its lines; false without memory. */
bool csv_rows_append(const struct csv_rows *part, struct csv_rows *whole, const struct csv_column_plan *plan);
void csv_rows_free(struct csv_rows *part, const struct csv_column_plan *plan);

/* Adds the rows of a piece to a part; false if part->fault says why not. */
bool csv_parse(const struct csv_column_plan *plan, const struct csv_piece *piece, struct csv_rows *part);

/* Adds the text of a cell, in quotes if it needs them or has to have them. */
struct text;
void csv_append_text(struct text *out, const char *text, bool quoted);

/* ---- Messages and results
 * --------------------------------------------------------------------------- */

void csv_error_set(struct csv_error *fault, enum csv_error_kind kind, const char *from, const char *to);
/* The fault as an error; lines_before those of the parts before. */
temper_status csv_error_report(const struct csv_column_plan *plan, const struct csv_error *fault, uint64_t lines_before,
                               temper_error *error);

/* Several processes: the lines of this one among those that bytes from .. to have. */
temper_status csv_own_byte_range(const struct reading *reading, uint64_t *from, uint64_t *to);
/* Says what became of missing values, by data->missing_*, of data that has kept so many rows. */
void csv_note_missing(struct dataset *data, uint64_t kept, bool means, bool of_training);

/* Turns all the rows into a dataset: one-hot features, means, names; takes their memory. */
temper_status csv_to_dataset(const struct csv_column_plan *plan, struct csv_rows *whole, const struct reading *reading,
                             struct dataset *data);

#endif
