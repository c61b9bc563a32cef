/* labels: the labels of a dataset from a file of their own (--labels FILE). */
#ifndef DATA_LABELS_H
#define DATA_LABELS_H

#include "data/dataset.h"

/* IDX and NPY files of one number a row, or a text of one label a line; as many as there are rows.
 * They replace labels that the data had. */
temper_status labels_read(const char *path, struct dataset *data, temper_error *error);

/* PATH.labels, where dataset_write puts labels that have no place in the data, and an ending; NULL
 * without memory. Freed by mem_free. */
char *labels_path_beside(const char *path, const char *ending);
/* Reads them from there, if they are there: also those of data that was compressed since, or that
 * were compressed themselves. A note says so. */
temper_status labels_find(const char *path, struct dataset *data, temper_error *error);

#endif
