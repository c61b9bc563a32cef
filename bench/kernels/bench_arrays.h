/* arrays: large arrays as a careful program has them, for timing what runs over them. */
#ifndef ARRAYS_H
#define ARRAYS_H

#include <stddef.h>

/* Zeros, in large pages where the system gives them; NULL if there is not the memory. */
void *array_zeros(size_t count, size_t size);
/* Normal numbers (a million of them, again and again). */
float *array_normals(size_t count, double scale);

#endif
