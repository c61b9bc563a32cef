/* file_names: the files that a list, a folder or a pattern stands for.
 *
 * "@list.txt": a file a line, in this order; names are looked for from where the list is. A folder: its files, but for
 * hidden ones, those that begin with _ and files of labels. A pattern has *, ? or [...], which no file has in its name.
 * Files of folders and patterns are sorted by name, byte by byte. */
#ifndef DATA_FILE_NAMES_H
#define DATA_FILE_NAMES_H

#include "data/read/read.h"

/* Whether a path stands for several files. */
bool names_several_files(const char *path);
/* The names, at least one; freed by names_free. A list is read once for all processes. */
temper_status file_names_find(const char *path, const temper_comm *comm, struct names *out, temper_error *error);

#endif
