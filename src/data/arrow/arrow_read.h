/* arrow_read: a dataset from a table by the Arrow C data interface.
 *
 * A table of plain numbers, perhaps with labels of any type, is copied column by column into the matrix. Every other
 * table becomes rows of CSV as it is read, which pass through a small buffer, and the reader of CSV does all the rest:
 * so columns become the same by either way, and as those of the same table in a file. */
#ifndef DATA_ARROW_READ_H
#define DATA_ARROW_READ_H

#include "data/arrow/arrow_table.h"
#include "data/read/read.h"

/* A dataset that borrows the numbers of a table, and takes it over: one list of floats or doubles in one chunk, and at
 * most one other column, the label. *out is NULL, and the table still the caller's, if it is another table. */
temper_status arrow_borrow_list(struct arrow_table *table, const temper_read_options *options, struct dataset **out,
                                temper_error *error);

#endif
