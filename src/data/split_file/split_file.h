/* split_file: divides the rows of a file into files for training and testing. */
#ifndef DATA_SPLIT_FILE_H
#define DATA_SPLIT_FILE_H

#include "data/dataset.h"
#include "temper.h"

/* temper_split_file in our own types; the options are complete and checked. */
temper_status split_file(const char *path, const temper_read_options *read, const temper_split_file_options *options,
                         temper_split_file_report *report, temper_error *error);

#endif
