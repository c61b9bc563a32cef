/* idx: how the labels of an IDX file are kept: in a second file beside it. */
#ifndef DATA_IDX_H
#define DATA_IDX_H

#include "data/write/write.h"

/* train-images-idx3-ubyte -> train-labels-idx1-ubyte, in the same folder; NULL if the name is not
 * of that kind, or there is no memory. Freed by mem_free. */
char *idx_labels_path(const char *path);

/* The labels alone, as IDX: bytes, or four-byte integers where a class needs them. Classes that are
 * no integers cannot be kept so. */
writer_fn write_idx_labels;

#endif
