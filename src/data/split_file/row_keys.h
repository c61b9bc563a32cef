/* row_keys: what the rows of a text file are divided by: their classes, groups and times. */
#ifndef DATA_ROW_KEYS_H
#define DATA_ROW_KEYS_H

#include "data/classes.h"
#include "data/split_file/text_rows.h"

struct row_keys {
    const char *path; /* of the file, borrowed, for messages */
    size_t rows;
    uint32_t *class_of; /* of each row; NULL: not stratified */
    struct classes classes;
    uint32_t *group; /* of each row; NULL: none */
    size_t groups;
    double *time;          /* of each row, numbers or days; NULL: none */
    struct text time_text; /* the cells of the time, each with a final zero, */
    size_t *time_start;    /* and where that of each row begins */
    char note[256];        /* "", or a sentence for the user */
};

/* Columns; CSV_NO_COLUMN: not asked for. */
struct key_columns {
    size_t stratify, group, time;
};

/* Reads the keys of all rows. A group or a time that is missing is refused, and so are times that are neither numbers
 * nor dates. Classes are left out, with a note, if there are nearly as many as rows. Freed by row_keys_free. */
temper_status row_keys_read(const struct text_file *file, struct key_columns columns, struct row_keys *out,
                            temper_error *error);
void row_keys_free(struct row_keys *keys);

#endif
