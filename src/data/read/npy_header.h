/* npy_header: the dictionary at the beginning of an NPY file, read as what it is: a few known
 * words. Nothing is evaluated. */
#ifndef DATA_NPY_HEADER_H
#define DATA_NPY_HEADER_H

#include "data/read/dense_array.h"

/* Reads from the magic on to the first number, and leaves rows, columns, type and order. */
temper_status npy_header_read(const struct reading *reading, struct rectangle *out);

#endif
