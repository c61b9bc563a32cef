/* labels: the labels of a dataset from a separate file (--labels FILE). */
#ifndef DATA_LABELS_H
#define DATA_LABELS_H

#include "data/dataset.h"

/* IDX and NPY files of one number a row, or a text of one label a line; as many as there are rows.
 * They replace labels that the data had. 0 threads: as many as there are processors. */
temper_status labels_read(const char *path, size_t threads, struct dataset *data, temper_error *error);

/* PATH.labels with an ending, where dataset_write puts labels that the format cannot hold; NULL without memory. Freed
 * by mem_free. */
char *labels_path_beside(const char *path, const char *ending);
/* Reads such a file if it exists, also if the data or the labels were compressed since. A note reports it. */
temper_status labels_find(const char *path, size_t threads, struct dataset *data, temper_error *error);

#endif
