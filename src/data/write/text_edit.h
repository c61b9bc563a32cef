/* text_edit: copies the text that a dataset was read from, byte for byte, except for some of its rows.
 *
 * A dataset that is written out is another table: categories have become features, gaps are
 * filled, numbers are floats. Here the lines are those of the user's file. Rows are found by their
 * lines; what is not a row of the dataset (a header, comments, blank lines, rows of classes that were
 * not asked for) stays. */
#ifndef DATA_TEXT_EDIT_H
#define DATA_TEXT_EDIT_H

#include "data/dataset.h"

/* The change of the rows: one of the three; the others are NULL. */
struct text_changes {
    const bool *dropped;
    const uint32_t *label; /* the class of each row; its cell stays where that is as it was */
    const double *factor;  /* of each row's weight: in the column of weights, or in a new one */
};

enum { TEXT_COLUMN = 64 }; /* bytes of the name that --weights is to be given */

/* Whether a copy to `path`, in a format that may be NULL, keeps the format: the dataset is all of
 * one text file that can be read again, labels included. */
bool text_can_copy(const struct dataset *data, const char *path, const char *format);

/* Copies the text with its changes to an open file; `weights` as below. */
struct atomic_file;
temper_status text_copy_to(const struct dataset *data, const struct text_changes *changes, struct atomic_file *sink,
                           char weights[TEXT_COLUMN], temper_error *error);
/* `weights` is filled where there are factors: the name of the column that has the weights, or its
 * number. The file at `path` appears whole or not at all. */
temper_status text_copy(const struct dataset *data, const struct text_changes *changes, const char *path,
                        char weights[TEXT_COLUMN], temper_error *error);

#endif
