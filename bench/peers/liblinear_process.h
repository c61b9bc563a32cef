/* child_sparse: files for other programs, and how long those take. */
#ifndef CHILD_SPARSE_H
#define CHILD_SPARSE_H

#include <stddef.h>

#include "peers/read_process.h"

struct sparse_file {
    char path[512];
    int low, high;                /* the labels to keep; 0: all */
    size_t rows, classes, fewest; /* filled: rows of all classes, and of the smallest */
};

/* Unpacks a .gz of libsvm rows whose labels are whole numbers to file->path; false if there is
 * none. */
int sparse_unpack(const char *from, struct sparse_file *file);

/* Processor time of a program, found as a shell does and silent; 1e300 if it fails. */
double child_seconds(const char *const arguments[]);

#endif
