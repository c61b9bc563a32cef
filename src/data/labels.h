/* labels: the labels of a dataset from a file of their own (--labels FILE). */
#ifndef DATA_LABELS_H
#define DATA_LABELS_H

#include "data/dataset.h"

/* IDX and NPY files of one number a row, or a text of one label a line; as many as there are rows.
 * They replace labels that the data had. */
temper_status labels_read(const char *path, struct dataset *data, temper_error *error);

#endif
