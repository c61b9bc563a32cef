/* elements: numbers as they are stored in files: type, byte order, value. */
#ifndef DATA_ELEMENTS_H
#define DATA_ELEMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The type of one number in a file. */
struct element {
    char kind; /* 'f', 'i', 'u', or 'b' for truth values */
    size_t size;
    bool big_endian;
};

bool host_is_big_endian(void);
/* Reverses the bytes of each of `count` numbers. */
void swap_elements(void *bytes, size_t count, size_t size);

/* The first value that is NaN or infinite; count if there is none. */
size_t first_not_finite_f32(const float *value, size_t count);
size_t first_not_finite_f64(const double *value, size_t count);

/* An integer of any of the types. */
struct integer {
    bool negative;
    uint64_t magnitude;
};

/* One in the byte order of this machine; `size` is 1, 2, 4 or 8, `kind` 'i' or 'u'. */
struct integer integer_load(const unsigned char *at, struct element element);
/* Integers up to here, and down to its negative, are floats. */
#define EXACT_IN_FLOAT (1u << 24)
/* Converts `count` integers in the byte order of this machine; the number of those before the first that is beyond
 * EXACT_IN_FLOAT. */
size_t integers_to_floats(const unsigned char *raw, struct element element, size_t count, float *out);
/* Whether a double is exactly this integer. */
bool integer_fits_double(struct integer integer);

#endif
