/* csv_source: the text of a CSV table that is made row by row as it is read, from a table of another kind. */
#ifndef DATA_CSV_SOURCE_H
#define DATA_CSV_SOURCE_H

#include <stdbool.h>

#include "base/source.h"
#include "base/text.h"

struct csv_row_maker {
    void *context;
    /* Appends the next line, of which the first is the header; *ended: there was none. */
    temper_status (*append_line)(void *context, struct text *csv, bool *ended, temper_error *error);
    void (*free_context)(void *context); /* when the source is closed, or cannot be opened */
};

/* `name` is for messages. */
temper_status csv_source_open(const char *name, const struct csv_row_maker *maker, struct source **out,
                              temper_error *error);

/* Appends a text as a cell, in quotes if it needs them: blanks around other texts are no part of them, as in a file.
 * `alone`: the only cell of its line, which would be a blank line without any byte. */
void csv_append_cell(struct text *csv, const char *text, size_t length, bool alone);
/* Whether it needs them. */
bool csv_cell_needs_quotes(const char *text, size_t length);

#endif
