/* npy_file: NPY files made by hand, for the tests of their reader. */
#ifndef TEST_NPY_FILE_H
#define TEST_NPY_FILE_H

#include <stdint.h>

#include "binary.h"

/* Version, then the dictionary as it is given, then nothing. */
struct blob npy_header(int version, const char *dictionary);
/* The header of an array; its numbers are still to come. */
struct blob npy_file(const char *type, const char *order, const char *shape);
/* The numbers as bytes, from the least significant one on, or the other way round. */
void add_numbers(struct blob *blob, const uint64_t *bits, size_t count, size_t size, bool big);
uint64_t bits_f32(float value);
uint64_t bits_f64(double value);
/* Must be refused with these words, as a file and through a pipe. Frees the blob. */
void npy_refused(struct blob blob, const char *words);

#endif
