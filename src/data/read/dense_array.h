/* dense_array: a rectangle of numbers of one type, from and to a stream: the common part of NPY and IDX.
 *
 * Floats, doubles and bytes keep their type; integers become floats if all of them are within 2^24,
 * else doubles, and an integer that no double represents is refused. Memory is allocated as bytes arrive, so
 * that a header that claims too much costs nothing. */
#ifndef DATA_DENSE_ARRAY_H
#define DATA_DENSE_ARRAY_H

#include "base/atomic_file.h"
#include "data/read/elements.h"
#include "data/read/read.h"

struct rectangle {
    struct element element;
    uint64_t rows, columns;
    bool by_columns;      /* Fortran order; it is transposed, which needs the memory twice for a while */
    uint64_t header_size; /* bytes of the stream that were read before */
};

/* Reads the numbers, after which the stream must end. */
temper_status dense_read(const struct data_reader *reader, const struct rectangle *rectangle, struct matrix *out);

/* Writes the numbers row by row; a sparse matrix as floats, with its zeros. */
temper_status dense_write(const struct matrix *x, bool big_endian, struct atomic_file *sink, temper_error *error);

#endif
