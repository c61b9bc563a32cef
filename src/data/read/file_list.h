/* file_list: one dataset in several files, which a list names.
 *
 * "@list.txt" in the place of a file: a file a line, in the order of their rows; names are looked
 * for from where the list is. Blank lines and those that begin with # do not count. */
#ifndef DATA_FILE_LIST_H
#define DATA_FILE_LIST_H

#include <stdbool.h>

#include "data/read/read.h"

static inline bool is_file_list(const char *path)
{
    return path[0] == '@';
}

/* As dataset_read_like. Files have the same columns (libsvm: those of all), and labels or none.
 * Processes read files of their own, if there are enough, and then have the rows of their parts. */
temper_status file_list_read(const char *path, const temper_read_options *options, const struct schema *schema,
                             struct dataset **out, temper_error *error);

#endif
