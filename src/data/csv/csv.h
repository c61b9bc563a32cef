/* csv: tables as text, separated by commas, semicolons or tabs.
 *
 * What is read. Cells may be quoted as in RFC 4180: a quoted cell may contain separators, newlines and, doubled,
 * quotes. Blanks around a cell do not belong to it, unless they are within its quotes. Lines end in \n or \r\n; blank
 * lines are skipped, and so is a byte order mark. Every row has as many cells as the first line. Anything else is
 * refused: a quote within an unquoted cell, text after a closing quote, a carriage return within a line, a NUL byte.
 *
 * Separator: a tab if the format is tsv, by option or by the file's name. Otherwise a comma if the first line has one;
 * if not, a tab or a semicolon, whichever it has more of, with a note.
 *
 * Header, unless the option says yes or no. Only columns in which the second line has a number are considered. If the
 * first line has a number in one of them too, it is a row. If it has text in at least one of them, and missing values
 * in the others, it is a header. Three rules precede this: a first line with the
 * names of a model's schema is a header, and so is one that contains a column that an option names, or ends with the
 * cell `label`, which is what write_csv writes. If neither line has a number,
 * both are possible, and the file is refused until the option decides. If only the first line has a number, or there is
 * only one line, and it has one, it is a row.
 *
 * That is what a strict reading does. If the options ask for it, the columns of a table that is not plain numbers are
 * inferred (csv_infer.c, data/table/): separators may be bars and blanks too, a first line of text is compared with the
 * rows below it, gaps are filled, rows without a label are dropped, and cells that do not fit their column are gaps.
 *
 * Columns are named by the header or by number from 1; a name takes precedence over a number. The label is the last
 * column that is not ignored and has no weights, unless the option names one, or "none"; a file of labels (`labels`)
 * implies "none".
 *
 * Missing values are an empty cell, NA, N/A, n/a, NaN, nan, NAN, null, NULL and ?, quoted or not. They are refused, or
 * become 0, or the mean of the column's other values; or their rows are dropped. For a categorical column these are
 * zeros, or the frequencies of its values. A missing label or weight is refused unless rows with missing values are
 * dropped.
 *
 * Categorical columns become one 0/1 feature for each distinct text (one-hot), NAME=TEXT, in order of first appearance;
 * 1 and 1.0 are two texts. Without a header the columns are named c1, c2... then. "all" selects the columns that
 * contain text within the first chunk of the file, and may be followed by names: text that occurs later in another
 * column is refused, with the name to be added. */
#ifndef DATA_CSV_H
#define DATA_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "data/dataset.h"
#include "data/read/read.h"
#include "data/schema.h"

struct csv_rows;

#define CSV_NO_COLUMN SIZE_MAX
#define CSV_NO_CODE   UINT32_MAX /* of a categorical cell: it is missing */

/* ---- Cells ----------------------------------------------------------------------------------- */

/* How a line is split into cells. */
struct csv_format {
    char separator; /* a blank separates as a run of blanks, and not at the ends of a line */
    bool stop[256]; /* the bytes that end the scan of an unquoted cell: separator, line end, quote, NUL */
};

struct csv_cell {
    const char *from, *to; /* without its quotes, or without the blanks around it */
    const char *next;      /* after the separator or line end */
    bool quoted;
    bool doubled;   /* has doubled quotes, to be made single */
    bool ends_line; /* ended by a newline, not by a separator */
};

/* What can be wrong with a table; csv_errors.c has the messages. */
enum csv_error_kind {
    CSV_FINE,
    CSV_MEMORY,
    CSV_QUOTE_OPEN,
    CSV_QUOTE_INSIDE,
    CSV_QUOTE_AFTER,
    CSV_RETURN,
    CSV_NUL,
    CSV_FIELDS,
    CSV_FIELDS_CUT,
    CSV_TEXT,
    CSV_TEXT_FIRST,
    CSV_TEXT_LIKE, /* these two for a model; only the message differs */
    CSV_TEXT_FIRST_LIKE,
    CSV_TEXT_MANY, /* these two if other columns have text too */
    CSV_TEXT_FIRST_MANY,
    CSV_TEXT_LATER,  /* the column's first row has none: probably a wrong cell */
    CSV_TEXT_FIGURE, /* a number except for how it is written */
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
    CSV_TOKEN_SHOWN = 20, /* bytes of a cell in a message; the remedy must fit in after it */
    CSV_NAME_SHOWN = 24   /* of a column's name */
};

struct csv_error {
    enum csv_error_kind kind;
    uint64_t line; /* from 1, within the text that was parsed by one call */
    size_t column; /* the byte of the line, from 1; 0: the whole line */
    size_t field;  /* the column of the table, from 0 */
    size_t count;  /* of fields */
    char token[4 * CSV_TOKEN_SHOWN + 4];
};

void csv_format_set(struct csv_format *format, char separator);
/* Scans the cell at p; the text ends in a newline just before `to`. On an error cell->from is its position. */
enum csv_error_kind csv_scan(const struct csv_format *format, const char *p, const char *to, struct csv_cell *cell);
bool csv_is_missing(const struct csv_cell *cell);
bool csv_is_number(const struct csv_cell *cell);
/* Whether the cell's text is this, without doubled quotes. */
bool csv_cell_is(const struct csv_cell *cell, const char *text, size_t length);
/* Writes the cell's text to `out`, which has room for all its bytes, with doubled quotes made single; returns the
 * length. */
size_t csv_unquote(const struct csv_cell *cell, char *out);
/* The position after the blank lines at p, which are added to *lines if that is not NULL. */
const char *csv_skip_blank_lines(const struct csv_format *format, const char *p, const char *to, uint64_t *lines);

/* ---- The plan: what each column is ----------------------------------------------------------- */

/* CSV_FEATURE is a plain number, CSV_CONVERTED what its rule says. */
enum csv_role { CSV_FEATURE, CSV_CATEGORY, CSV_LABEL, CSV_WEIGHT_COLUMN, CSV_IGNORED, CSV_CONVERTED };

enum { CSV_TEXTS_KEPT = 32 }; /* columns of text that a message can list */

/* CSV_FILL: features as by CSV_MEAN; rows without a label or a weight are dropped. */
enum csv_missing_rule { CSV_REFUSE, CSV_ZERO, CSV_MEAN, CSV_DROP, CSV_FILL };

/* What a table is beyond plain numbers: made by csv_infer.c, or from the schema of a model. */
struct csv_inference {
    bool wanted;              /* columns are to be inferred */
    bool applied;             /* the table is not one of plain numbers: more words are gaps, and so are odd cells */
    struct column_rule *rule; /* of each column; NULL: all are plain */
    unsigned char *fate;      /* enum column_fate of each column; NULL as long as nothing was inferred */
    struct names gaps;        /* further words for gaps */
    bool label_named;         /* the label is that of the name */
};

struct csv_column_plan {
    const char *path;
    const struct file_join *join;      /* the text is that of several files; NULL: of one */
    const struct table_origin *origin; /* the text was made from another; NULL: it is the file */
    struct csv_format format;
    bool separator_inferred;   /* from the first line */
    bool header, header_given; /* given: by the option */
    enum csv_missing_rule missing;
    bool f64;
    bool all_text; /* columns with text in the first chunk are categorical */
    struct csv_inference inferred;
    bool short_header;    /* the first line lacks the name of one column */
    uint64_t skipped;     /* lines before the table that are no part of it */
    size_t columns;       /* of the file */
    unsigned char *role;  /* of each */
    struct names names;   /* of each, if there is a header */
    size_t label, weight; /* CSV_NO_COLUMN: none */
    bool label_guessed;   /* no option has named it */
    size_t width;         /* numbers of a row that are kept: one for a feature or category, those of the rule else */
    size_t cell_size;     /* of a float or a double */
    size_t row_size;      /* width * cell_size */
    size_t *category;     /* categorical columns, ascending */
    size_t *slot;         /* and the position of each among the kept cells */
    size_t categories;
    size_t *matched;          /* with a schema: the column of the file for each column of the schema */
    size_t unknowns, unknown; /* columns that the schema does not have, and the first of them */
    size_t *kept;             /* columns whose texts are kept with the rows, in the order of the option */
    size_t kept_count;
    size_t text[CSV_TEXTS_KEPT]; /* features that contain text in the first lines, ascending, */
    size_t texts;                /* if the first row has some */
};

/* The text of a chunk. It ends in a newline. */
struct csv_chunk {
    const char *from, *to;
    bool first_line; /* begins with the file's first line, which was taken for a row */
    bool no_newline; /* the newline at the end is not in the file */
};

/* A line of the file split into cells, which point into it. */
struct csv_line {
    struct csv_cell *cell;
    size_t count;
    const char *from, *next;
};

/* Splits the row at p. On an error line->next is its position. */
enum csv_error_kind csv_line_read(const struct csv_format *format, const char *p, const char *to,
                                  struct csv_line *line);
void csv_line_free(struct csv_line *line);

/* Whether the option, or else the name of the file, specifies tsv. */
bool csv_is_tsv(const struct data_reader *reader);
/* The separator of a file that is not tsv, and whose first line is at p. */
char csv_find_separator(const char *p, const char *to);
/* The first rows of the table, from which columns are inferred. */
struct csv_sample {
    const struct csv_chunk *chunk;
    size_t chunks;
};

/* Decides whether the first line is a header; `second` is NULL if there is no other. `below`: the rows after the first
 * line, if the table may be inferred; else NULL. */
temper_status csv_find_header(struct csv_column_plan *plan, const struct data_reader *reader,
                              const struct csv_line *first, const struct csv_line *second,
                              const struct csv_sample *below);
/* Puts an empty name before or after those of a header that has one less than the rows have cells: programs that number
 * the rows write no name for that column, or end each row by a separator. False without memory. */
bool csv_complete_header(struct csv_line *first, const struct csv_line *second, bool *completed);
/* By the number of cells in the first lines: the separator of a table that may be inferred. */
char csv_infer_separator(const char *p, const char *to);
/* Whether the first lines do not have the separator that an option has named, but *present. */
bool csv_separator_is_absent(const struct csv_format *format, const char *p, const char *to, char *present);
/* The number of the first of the three first lines that is a ruler of dashes; 0: none. */
uint64_t csv_ruler_line(const char *p, const char *to);
/* Whether all lines are comments, which begin with #. */
bool csv_is_all_comments(const char *p, const char *to);
/* Lines before the table: those with another number of cells than most of the first lines. *next is after them. */
uint64_t csv_count_preamble(const struct csv_format *format, const char *p, const char *to, const char **next);

/* Fills columns, names and roles, from the first line and the options. */
temper_status csv_columns_plan(struct csv_column_plan *plan, const struct data_reader *reader,
                               const struct csv_line *first);
/* Whether a kept column is part of a parsed row, and how many numbers it has there. */
size_t csv_column_numbers(const struct csv_column_plan *plan, size_t column);
/* Whether a cell has no value; `certain`: a label or a weight, for which some words are values. */
bool csv_is_gap(const struct csv_column_plan *plan, const struct csv_cell *cell, bool certain);
/* Makes features that contain text within the chunk categorical, if the options ask for "all". */
void csv_columns_text(struct csv_column_plan *plan, const struct csv_chunk *text);
/* Records which features contain text in the first lines of a chunk, if the first row has some: a message about one
 * column only would be followed by one about the next column in the next attempt. */
void csv_columns_find_texts(struct csv_column_plan *plan, const struct csv_chunk *text);
/* Counts the roles and computes the layout of a row; the last step. */
temper_status csv_columns_finish(struct csv_column_plan *plan, const struct data_reader *reader);
void csv_columns_free(struct csv_column_plan *plan);

struct csv_column_text {
    char text[48];
};
/* A column as an option would name it: its name if that is short, plain and unique, else its number. */
struct csv_column_text csv_column_option(const struct csv_column_plan *plan, size_t column);
/* "column 'sepal length'", or "column 3" if it has no printable name. */
struct csv_column_text csv_column_shown(const struct csv_column_plan *plan, size_t column);

/* ---- Inference: csv_infer.c ------------------------------------------------------------------ */

enum csv_header_guess { CSV_HEADER_UNKNOWN, CSV_HEADER_YES, CSV_HEADER_NO };

/* Whether the first line is a header of texts, by the rows below it. False without memory. */
bool csv_header_by_columns(struct csv_column_plan *plan, const struct csv_line *first, const struct csv_sample *sample,
                           enum csv_header_guess *guess);
/* Decides what the columns without a role of their own are, and gives them roles and rules. */
temper_status csv_infer_columns(struct csv_column_plan *plan, const struct data_reader *reader,
                                const struct csv_sample *sample);
/* Whether rows that were parsed as plain numbers need a closer look: a column may count or identify them. */
bool csv_rows_are_suspect(const struct csv_column_plan *plan, const struct csv_rows *rows);
/* Takes rules and words from the schema of a model. */
temper_status csv_infer_from_schema(struct csv_column_plan *plan, const struct data_reader *reader);
/* Refuses options that are no separator, decimal mark or order of dates. */
temper_status csv_check_options(const struct data_reader *reader);
/* Where a word for gaps is a number, numbers have to be compared with it: they are converted. */
temper_status csv_guard_numbers(struct csv_column_plan *plan, temper_error *error);
/* Further words for gaps, of the option or the schema. */
temper_status csv_take_gap_words(struct csv_column_plan *plan, const struct data_reader *reader);
/* Notes what became of the columns. */
void csv_note_columns(const struct csv_column_plan *plan, const struct csv_rows *rows, struct dataset *data);
/* Reports the first odd cells, or refuses the table if they are many. */
temper_status csv_check_odd_cells(const struct csv_column_plan *plan, const struct csv_rows *rows, struct dataset *data,
                                  temper_error *error);
void csv_inference_free(struct csv_inference *inferred);

/* ---- Rows ------------------------------------------------------------------------------------ */

enum { CSV_ODD_SHOWN = 3 };

/* Cells that do not fit their column, such as text among numbers: the first ones, and how many in all. */
struct csv_odd_cells {
    uint64_t count;
    struct csv_error cell[CSV_ODD_SHOWN]; /* kind is CSV_TEXT or the like */
};

/* Rows that were parsed: those of a batch, or of one chunk (a buffer). */
struct csv_rows {
    struct disk_array *spill; /* where the arrays are; NULL: in memory */
    size_t rows, capacity;
    unsigned char *cells; /* rows * width floats or doubles; NaN is a missing value. A categorical cell holds its code
                           * in its first four bytes */
    uint32_t *label;      /* NULL without labels, and so on */
    double *weight;
    uint64_t *line;
    struct text kept;         /* texts of kept columns, as in struct kept_cells */
    uint64_t *kept_start;     /* of each row; NULL without such columns */
    struct classes classes;   /* of the label */
    struct classes *category; /* "=TEXT" of each categorical column: never equal as numbers */
    struct csv_codes *codes;  /* of a buffer: its codes in the batch; private */
    size_t bytes;             /* of a buffer: the length of its chunk */
    uint64_t lines;           /* read so far */
    uint64_t missing;         /* cells without a value */
    uint64_t dropped;         /* rows */
    struct csv_odd_cells odd; /* cells that became gaps because they do not fit their column */
    struct csv_error error;
};

/* Reserves the first rows; `rows` is zero except for spill and lines. */
bool csv_rows_start(struct csv_rows *rows, const struct csv_column_plan *plan);
/* Reserves memory for so many rows in all, which will probably come; does nothing if there is not enough. */
void csv_rows_expect(struct csv_rows *rows, const struct csv_column_plan *plan, size_t count);
/* Removes the rows, and keeps the memory and the classes: those of the next chunk are mostly the same. */
void csv_rows_clear(struct csv_rows *buffer);
/* Replaces the codes of a buffer by those of the batch, which learns new ones, row by row. Rows from the first one
 * that does not fit are removed, and buffer->error is set. */
void csv_rows_recode(struct csv_rows *buffer, struct csv_rows *batch, const struct csv_column_plan *plan);
/* Before a buffer is used for another batch. */
void csv_rows_forget_codes(struct csv_rows *buffer, const struct csv_column_plan *plan);
/* Adds copies of the buffer's rows to the batch, its counts and its lines; false without memory. */
bool csv_rows_append(const struct csv_rows *buffer, struct csv_rows *batch, const struct csv_column_plan *plan);
void csv_rows_free(struct csv_rows *rows, const struct csv_column_plan *plan);

/* Adds the rows of a chunk; false: rows->error has the reason. */
bool csv_parse(const struct csv_column_plan *plan, const struct csv_chunk *text, struct csv_rows *rows);

/* Appends the text of a cell, in quotes if it needs them or `quoted`. */
void csv_append_text(struct text *out, const char *text, bool quoted);

/* ---- Messages and results -------------------------------------------------------------------- */

/* Sets the kind and the token; [from, to) is the cell. */
void csv_error_set(struct csv_error *found, enum csv_error_kind kind, const char *from, const char *to);
/* The column of an error in its line, in the text that the table was made from if there is one; 0: the whole line. */
size_t csv_error_column(const struct csv_column_plan *plan, const struct csv_error *found);
/* The file of an error, and its line there. */
const char *csv_error_file(const struct csv_column_plan *plan, uint64_t *line);
/* Reports the error; lines_before: lines of the file before the text that error->line counts from. */
temper_status csv_error_report(const struct csv_column_plan *plan, const struct csv_error *found, uint64_t lines_before,
                               temper_error *error);
/* The word of --sep for a separator. */
const char *csv_separator_name(char separator);
/* The table has no rows, or none is left after so many were dropped. */
temper_status csv_refuse_no_rows(const struct csv_column_plan *plan, uint64_t dropped, temper_error *error);

/* Several processes: the lines of this one among those in the bytes from .. to. */
temper_status csv_own_byte_range(const struct data_reader *reader, uint64_t *from, uint64_t *to);
/* Adds the notes about missing values, from data->missing_*, of data that has kept so many rows. */
void csv_note_missing(struct dataset *data, uint64_t kept, bool means, bool of_training);

/* Makes a dataset of the rows (one-hot features, means, names) and takes their memory. */
temper_status csv_to_dataset(const struct csv_column_plan *plan, struct csv_rows *rows,
                             const struct data_reader *reader, struct dataset *data);

/* ---- Tables for a schema, reader->schema ----------------------------------------------------- */

/* Whether the first line contains a name of the schema. */
bool csv_match_header(const struct schema *schema, const struct csv_line *first);
/* Sets the rule for missing values if no option gives one; an option that the schema cannot follow is refused. */
temper_status csv_match_missing(struct csv_column_plan *plan, const struct data_reader *reader);
/* Finds the columns and gives them roles; the options have assigned theirs before. */
temper_status csv_match_columns(struct csv_column_plan *plan, const struct data_reader *reader);
/* Turns the rows into the features of the schema, in place; *width is their number. */
temper_status csv_match_finish(const struct csv_column_plan *plan, struct csv_rows *whole,
                               const struct data_reader *reader, struct dataset *data, size_t *width);

#endif
