/* arrow_table: a table in memory by the Arrow C data interface: its columns, and the text of each cell. */
#ifndef DATA_ARROW_TABLE_H
#define DATA_ARROW_TABLE_H

#include <stdbool.h>

#include "base/status.h"
#include "temper_arrow.h"

enum arrow_kind {
    ARROW_NULLS, /* no values */
    ARROW_BOOLEAN,
    ARROW_SIGNED,
    ARROW_UNSIGNED,
    ARROW_FLOAT,
    ARROW_DECIMAL,
    ARROW_DATE, /* and timestamps */
    ARROW_TIME, /* of the day */
    ARROW_TEXT,
    ARROW_TEXT_VIEW
};

struct arrow_type {
    enum arrow_kind kind;
    unsigned size;       /* bytes of a value; of the offsets of texts */
    int64_t ticks_a_day; /* dates and times: units of a day */
    unsigned digits;     /* decimals: after the point */
};

/* A column of the table. A list of a fixed size is as many columns, NAME[0], NAME[1]... */
struct arrow_column {
    char *name;
    struct arrow_type type;  /* of its values; of a dictionary those that are selected */
    struct arrow_type index; /* of a dictionary; else ARROW_NULLS */
    size_t child;            /* of the arrays of structs */
    size_t items, item;      /* of a list: how many columns it is, and which this is; else 0 */
};

struct arrow_table {
    char *name; /* for messages */
    struct ArrowSchema schema;
    struct ArrowArray *chunk;
    size_t chunks;
    size_t rows;
    struct arrow_column *column;
    size_t columns;
};

/* Moves a stream or an array into a new table; released on failure too. */
temper_status arrow_table_of_stream(struct ArrowArrayStream *stream, const char *name, struct arrow_table **out,
                                    temper_error *error);
temper_status arrow_table_of_array(struct ArrowSchema *schema, struct ArrowArray *array, const char *name,
                                   struct arrow_table **out, temper_error *error);
/* Releases schema and arrays. */
void arrow_table_free(struct arrow_table *table);

/* The values of a column in a chunk, without the dictionary's. */
struct arrow_values {
    const struct ArrowArray *array; /* that has them */
    const struct ArrowArray *rows;  /* the struct, or the list, whose own gaps count too */
    size_t rows_first;              /* where the first row is in it */
    size_t first, step;             /* where the value of the first row is, and the distance to that of the next */
};
struct arrow_values arrow_column_values(const struct arrow_table *table, const struct arrow_column *column,
                                        size_t chunk);
/* Whether the row of the chunk has no value. */
bool arrow_is_gap(const struct arrow_values *values, size_t row);
/* Whether any row has none; `false` is certain. */
bool arrow_may_have_gaps(const struct arrow_values *values);

enum { ARROW_CELL = 80 }; /* bytes of a number or a date */

struct arrow_cell {
    const char *from, *to;
    char made[ARROW_CELL]; /* a text that is not in the array */
};

/* The cell as CSV would have it, without quotes; false: it is a gap. */
bool arrow_cell_text(const struct arrow_column *column, const struct arrow_values *values, size_t row,
                     struct arrow_cell *cell);
/* Whether the values are numbers that need no text. */
bool arrow_is_number(const struct arrow_column *column);
/* Copies `count` numbers from `row` on; integers beyond 2^53 are rounded. */
void arrow_numbers(const struct arrow_column *column, const struct arrow_values *values, size_t row, size_t count,
                   double *out);

#endif
