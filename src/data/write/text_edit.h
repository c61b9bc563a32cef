/* text_copy: the text that a dataset was read from, byte for byte, but for some of its rows.
 *
 * A dataset that is written out is another table: categories have become features, gaps are
 * filled, numbers are floats. Here the lines are those of the user's file. Rows are found by their
 * lines; what is no row of the dataset (a header, comments, blank lines, rows of classes that were
 * not asked for) stays. */
#ifndef DATA_TEXT_EDIT_H
#define DATA_TEXT_EDIT_H

#include "base/atomic_file.h"
#include "data/csv/csv.h"
#include "data/dataset.h"

/* What becomes of the rows, by one of the three; the others are NULL. */
struct text_changes {
    const bool *dropped;
    const uint32_t *label; /* the class of each row; its cell stays where that is as it was */
    const double *factor;  /* of each row's weight: in the column of weights, or in a new one */
};

enum { TEXT_COLUMN = 64 }; /* room for what --weights is to be given */

/* Whether a copy to `path`, in a format that may be NULL, keeps the format: the dataset is all of
 * one text file that can be read again, labels included. */
bool text_can_copy(const struct dataset *data, const char *path, const char *format);

/* `weights` is filled where there are factors: the name of the column that has the weights, or its
 * number. The file at `path` appears whole or not at all. */
temper_status text_copy(const struct dataset *data, const struct text_changes *changes, const char *path,
                        char weights[TEXT_COLUMN], temper_error *error);

/* ---- Between the parts of the copier ----------------------------------------------------------
 */

struct text_copying {
    const struct dataset *data;
    const struct text_changes *changes;
    struct atomic_file *sink;
    temper_error *error;
    char *weights;            /* [TEXT_COLUMN] */
    uint64_t lines;           /* before the place that was reached */
    size_t row, found;        /* the next row to look for; rows that were found */
    const char *end;          /* of the bytes that are the file's: a newline may have been added there */
    struct csv_format format; /* of a table; else it has no separator */
    bool header;              /* is still to come */
};

/* A span of a line that gets another text. */
struct text_edit {
    const char *from, *to;
    const char *text;
    size_t length;
};

#define TEXT_NO_ROW SIZE_MAX
/* The row that begins on the line, if one does. Lines are asked for in ascending order. */
size_t text_row_at(struct text_copying *copying, uint64_t line);
temper_status text_put(struct text_copying *copying, const char *from, const char *to);
/* The line from .. to with the edit. */
temper_status text_put_edited(struct text_copying *copying, const char *from, const char *to,
                              const struct text_edit *edit);
/* The file is not what was read. */
temper_status text_has_changed(const struct text_copying *copying);

/* The lines of a piece of the text; that of a table ends in a newline. */
temper_status csv_copy(struct text_copying *copying, const char *from, const char *to);
temper_status libsvm_copy(struct text_copying *copying, const char *from, const char *to);

#endif
