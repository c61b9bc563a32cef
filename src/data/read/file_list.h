/* file_list: one dataset in several files (file_names.h), which are read one by one and concatenated. */
#ifndef DATA_FILE_LIST_H
#define DATA_FILE_LIST_H

#include "data/read/read.h"

/* As dataset_read_like. Files have the same columns (libsvm: those of all), and labels or none.
 * Processes read files of their own, if there are enough, and then have the rows of their parts. */
temper_status file_list_read(const char *path, const temper_read_options *options, const struct schema *schema,
                             struct dataset **out, temper_error *error);

#endif
